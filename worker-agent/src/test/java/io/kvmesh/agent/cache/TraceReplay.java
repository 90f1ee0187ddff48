package io.kvmesh.agent.cache;

import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.common.key.ChunkKey;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** Replays requests on caches that share a directory that is always right: their own events. */
final class TraceReplay {

  /** What a replay gives. */
  record Outcome(long local, long peer, long miss, long evictions, long resident) {}

  private final List<CacheFixture> workers;
  private long local;
  private long peer;
  private long miss;

  private TraceReplay(List<CacheFixture> workers) {
    this.workers = workers;
  }

  static Outcome run(List<long[]> trace, int workers, int chunks, PolicyName policy)
      throws InterruptedException {
    CacheFixture[] fixtures = new CacheFixture[workers];
    Arrays.setAll(fixtures, i -> new CacheFixture(chunks, policy));
    TraceReplay replay = new TraceReplay(List.of(fixtures));
    for (int i = 0; i < trace.size(); i++) {
      replay.request(fixtures[i % workers], CacheFixture.keys(trace.get(i)));
    }
    Outcome outcome = replay.outcome();
    replay.workers.forEach(CacheFixture::close);
    return outcome;
  }

  private void request(CacheFixture worker, List<ChunkKey> keys) throws InterruptedException {
    try (ChunkLease lease = worker.cache.leasePrefix(keys)) {
      int hits = lease.size();
      worker.cache.touch(lease, hits);
      List<ChunkKey> rest = keys.subList(hits, keys.size());
      int pulled = longestAtAPeer(worker, rest);
      local += hits;
      peer += pulled;
      miss += rest.size() - pulled;
      worker.putAll(rest, new Reserving.Now(), lease);
      for (int i = 0; i < lease.size(); i++) {
        if (!CacheFixture.isStamped(lease.body(i), lease.key(i))) {
          throw new AssertionError("a foreign body for " + lease.key(i));
        }
      }
    }
  }

  private int longestAtAPeer(CacheFixture requester, List<ChunkKey> keys) {
    int longest = 0;
    for (CacheFixture worker : workers) {
      longest = Math.max(longest, worker == requester ? 0 : prefix(worker.sink.resident, keys));
    }
    return longest;
  }

  private static int prefix(Set<ChunkKey> resident, List<ChunkKey> keys) {
    int length = 0;
    while (length < keys.size() && resident.contains(keys.get(length))) {
      length++;
    }
    return length;
  }

  private Outcome outcome() {
    long evictions = 0;
    long resident = 0;
    for (CacheFixture worker : workers) {
      CacheStats stats = worker.cache.stats();
      evictions += stats.removed().getOrDefault(RemovalCause.EVICTED, 0L);
      resident += stats.residentChunks();
    }
    return new Outcome(local, peer, miss, evictions, resident);
  }
}
