package io.kvmesh.agent.cache;

/** Puts the figures of a cache's parts together. Guarded by the cache's lock. */
final class CacheFigures {

  private final ChunkMemory memory;
  private final ResidentSet resident;
  private final Places places;
  private final ClaimDesk desk;
  private final PinBook pins;
  private final ChunkPacker packer;
  private final CacheCounters counters;

  CacheFigures(
      ChunkMemory memory,
      ResidentSet resident,
      Places places,
      ClaimDesk desk,
      PinBook pins,
      ChunkPacker packer,
      CacheCounters counters) {
    this.memory = memory;
    this.resident = resident;
    this.places = places;
    this.desk = desk;
    this.pins = pins;
    this.packer = packer;
    this.counters = counters;
  }

  CacheStats stats() {
    return new CacheStats(
        memory.chunkBytes(),
        new CacheStats.Room(
            memory.capacityBytes(),
            memory.growableBytes(),
            memory.freeBytes(),
            places.budgetBytes(),
            memory.fragmentation()),
        resident.residentChunks(),
        resident.residentBytes(),
        resident.heldChunks(),
        counters.pending,
        resident.detachedChunks(),
        counters.lookups,
        counters.lookedUp,
        counters.hits,
        resident.admitted(),
        resident.removedByCause(),
        counters.alreadyResident,
        new CacheStats.Refused(
            counters.noSpace,
            counters.tooLarge,
            counters.unfull,
            counters.wrongSize,
            counters.notKept),
        counters.aborted,
        new CacheStats.Waits(
            desk.waiting(), counters.waited, counters.waitedInVain, counters.waitRefused),
        pins.stats(),
        packer.stats());
  }
}
