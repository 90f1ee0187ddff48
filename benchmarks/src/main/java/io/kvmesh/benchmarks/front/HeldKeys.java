package io.kvmesh.benchmarks.front;

import java.util.BitSet;

/**
 * What a worker holds of the keys that it alone may hold, as the generator knows it: runs of
 * neighbours are admitted, evicted and looked up. One thread.
 */
final class HeldKeys {

  /** Keys of a batch and of a lookup. */
  static final int RUN = 100;

  /** Keys that a worker may hold. */
  static final int SLICE = 36_600;

  private final long first;
  private final BitSet held = new BitSet(SLICE);

  /**
   * @param number of the worker, from 0
   */
  HeldKeys(int number) {
    this.first = (long) number * SLICE;
  }

  /** The hash of a key, a bijection of its number that looks random (SplitMix64). */
  long hash(int key) {
    long z = (first + key + 1) * 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  void admit(int start) {
    held.set(start, start + RUN);
  }

  void evict(int start) {
    held.clear(start, start + RUN);
  }

  int count() {
    return held.cardinality();
  }

  /** How many keys of the run are held before the first that isn't. */
  int prefix(int start) {
    return Math.min(RUN, held.nextClearBit(start) - start);
  }
}
