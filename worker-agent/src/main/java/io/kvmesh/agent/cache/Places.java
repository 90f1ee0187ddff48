package io.kvmesh.agent.cache;

import java.util.List;

/** Where bodies can lie: finds and makes room for them. Guarded by the cache's lock. */
final class Places {

  private final ChunkMemory memory;
  private final ResidentSet resident;
  private final CacheCounters counters;
  private final BodyRule bodies;

  Places(ChunkMemory memory, ResidentSet resident, CacheCounters counters, BodyRule bodies) {
    this.memory = memory;
    this.resident = resident;
    this.counters = counters;
    this.bodies = bodies;
  }

  /**
   * A place, or NO_PLACE. Evicts as many as it takes; none where it can be known that all wouldn't
   * do.
   */
  int find(int bytes, boolean evicting) {
    int place = tryAllocate(bytes);
    if (place == ChunkMemory.NO_PLACE && evicting && mayFindPlace(bytes)) {
      while (place == ChunkMemory.NO_PLACE && resident.evictOne()) {
        place = tryAllocate(bytes);
      }
    }
    return place;
  }

  private int tryAllocate(int bytes) {
    return unusedSlots() > 0 ? memory.tryAllocate(bytes) : ChunkMemory.NO_PLACE;
  }

  private boolean mayFindPlace(int bytes) {
    return unusedSlots() + resident.evictableChunks() > 0
        && budgetBytes() >= memory.footprint(bytes);
  }

  /** A pending chunk takes a slot when it is committed. */
  private int unusedSlots() {
    return resident.records().unused() - counters.pending;
  }

  /**
   * Whether the whole batch would find room, or as much of it as ever can while the lease holds
   * what it does. What is resident and not held counts as to be placed: it may be evicted for the
   * chunks before it.
   */
  boolean haveRoomFor(List<ChunkSpec> specs, ChunkLease into) {
    long wantedBytes = 0;
    long mostBytes = memory.capacityBytes() + memory.growableBytes() - resident.footprint(into);
    int wantedSlots = 0;
    int mostSlots = memory.slots() - into.size();
    for (int i = 0; i < specs.size(); i++) {
      ChunkSpec spec = specs.get(i);
      int slot = resident.find(spec.key());
      if (slot != ChunkTable.NOT_FOUND && !spec.replaces() && resident.isHeld(slot)) {
        mostBytes -= memory.footprint(spec.bytes());
        mostSlots--;
      } else if (memory.fits(spec.bytes()) && bodies.refusal(spec) == null) {
        wantedBytes += memory.footprint(spec.bytes());
        wantedSlots++;
      }
    }
    return budgetBytes() >= Math.min(wantedBytes, mostBytes)
        && unusedSlots() + resident.evictableChunks() >= Math.min(wantedSlots, mostSlots);
  }

  /** What could be had now, by taking all memory into use and evicting all that may go. */
  long budgetBytes() {
    return memory.freeBytes() + memory.growableBytes() + resident.evictableBytes();
  }
}
