package io.kvmesh.agent.cache;

import io.kvmesh.agent.cache.policy.EvictionPolicy;

/** Walks over the resident chunks of all slots. Under the cache's lock. */
final class SlotWalk {

  private final ResidentSet resident;
  private final ChunkRecords records;
  private final EvictionPolicy policy;

  SlotWalk(ResidentSet resident, EvictionPolicy policy) {
    this.resident = resident;
    this.records = resident.records();
    this.policy = policy;
  }

  /** See CacheSnapshots.slice. */
  int cut(int fromSlot, int maxKeys, int maxSlots, SnapshotSlice into) {
    int end = (int) Math.min(records.slots(), (long) fromSlot + maxSlots);
    for (int slot = fromSlot; slot < end; slot++) {
      if (into.size() == maxKeys) {
        return slot;
      }
      if (records.isResident(slot)) {
        into.add(resident.keyspace(slot), records.hashBits(slot));
      }
    }
    return end == records.slots() ? CacheSnapshots.END_OF_SLOTS : end;
  }

  /** A copy of what is resident, to be put into the order in which it goes. */
  PolicyOrder order() {
    PolicyOrder order = new PolicyOrder(resident.residentChunks());
    for (int slot = 0; slot < records.slots(); slot++) {
      if (records.isResident(slot)) {
        boolean packed = records.isPacked(slot);
        EvictionPolicy its = packed ? resident.packed().order() : policy;
        order.add(resident.keyspace(slot), records, its, slot);
      }
    }
    return order;
  }
}
