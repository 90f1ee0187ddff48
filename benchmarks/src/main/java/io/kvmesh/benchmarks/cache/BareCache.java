package io.kvmesh.benchmarks.cache;

/** A full cache at its barest: a table, and a ring by which the oldest entry goes. */
final class BareCache {

  private final BareTable table;
  private final long[] ring;
  private int oldest;

  /** Filled with the chunks from number 0 on. */
  BareCache(int chunks) {
    table = new BareTable(chunks);
    ring = new long[chunks];
    for (int i = 0; i < chunks; i++) {
      ring[i] = ChunkNumbers.hash(i);
      table.add(ring[i], i);
    }
  }

  BareTable table() {
    return table;
  }

  /** The oldest goes, the new one comes. */
  void store(long hash) {
    table.remove(ring[oldest]);
    ring[oldest] = hash;
    table.add(hash, oldest);
    oldest = oldest + 1 == ring.length ? 0 : oldest + 1;
  }
}
