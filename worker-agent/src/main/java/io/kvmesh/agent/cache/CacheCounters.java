package io.kvmesh.agent.cache;

/** What ChunkCache counts itself; see CacheStats. Guarded by the cache's lock. */
final class CacheCounters {

  int pending;
  long lookups;
  long lookedUp;
  long hits;
  long alreadyResident;
  long noSpace;
  long tooLarge;
  long unfull;
  long wrongSize;
  long notKept;
  long aborted;
  long waited;
  long waitedInVain;
  long waitRefused;

  void looked(int keys, int found) {
    lookups++;
    lookedUp += keys;
    hits += found;
  }
}
