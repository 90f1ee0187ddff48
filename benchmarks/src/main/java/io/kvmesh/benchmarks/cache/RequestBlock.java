package io.kvmesh.benchmarks.cache;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.common.key.ChunkKey;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Some requests for the prefix of a prompt, their chunks drawn at random of all. They are drawn
 * shortly before they are asked, as an engine's are decoded: the keys are in the processor's
 * caches, what the cache knows of them isn't.
 */
final class RequestBlock {

  static final int REQUESTS = 128;
  static final int KEYS = 64;

  private final SplittableRandom random;
  private final long[] hashes = new long[REQUESTS * KEYS];
  private final List<List<ChunkKey>> requests = new ArrayList<>();
  private final List<ChunkLease> leases = new ArrayList<>();

  RequestBlock(long seed) {
    random = new SplittableRandom(seed);
  }

  /** Draws new requests for chunks of these numbers. */
  void draw(long from, long to) {
    requests.clear();
    for (int r = 0; r < REQUESTS; r++) {
      ChunkKey[] keys = new ChunkKey[KEYS];
      for (int k = 0; k < KEYS; k++) {
        long hash = ChunkNumbers.hash(random.nextLong(from, to));
        hashes[r * KEYS + k] = hash;
        keys[k] = ChunkNumbers.key(hash);
      }
      requests.add(List.of(keys));
    }
  }

  /** Asks all. */
  void lease(ChunkCache cache) {
    for (int r = 0; r < REQUESTS; r++) {
      leases.add(lease(cache, r));
    }
  }

  /** Asks one. */
  ChunkLease lease(ChunkCache cache, int request) {
    ChunkLease lease = cache.leasePrefix(requests.get(request));
    if (lease.size() != KEYS) {
      throw new IllegalStateException(
          "All of %d keys are resident, found %d".formatted(KEYS, lease.size()));
    }
    return lease;
  }

  /** Lets go of all that were asked. */
  void close() {
    for (int i = 0; i < leases.size(); i++) {
      leases.get(i).close();
    }
    leases.clear();
  }

  /** Looks all up in a bare table. */
  void probe(BareTable table) {
    for (int r = 0; r < REQUESTS; r++) {
      probe(table, r);
    }
  }

  /** Looks one up in a bare table. */
  void probe(BareTable table, int request) {
    int found = 0;
    for (int i = request * KEYS; i < (request + 1) * KEYS; i++) {
      found += table.get(hashes[i]) == BareTable.ABSENT ? 0 : 1;
    }
    if (found != KEYS) {
      throw new IllegalStateException(
          "All of %d keys are in the table, found %d".formatted(KEYS, found));
    }
  }
}
