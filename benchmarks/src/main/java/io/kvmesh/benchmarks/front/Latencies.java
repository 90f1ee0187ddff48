package io.kvmesh.benchmarks.front;

import java.util.Arrays;

/** Times from when something was due to its answer. One thread. */
final class Latencies {

  private long[] nanos = new long[1024];
  private int size;

  void add(long one) {
    if (size == nanos.length) {
      nanos = Arrays.copyOf(nanos, 2 * size);
    }
    nanos[size++] = one;
  }

  /** So many percent of them are no longer; 0 if there is none. */
  double percentile(double percent) {
    if (size == 0) {
      return 0;
    }
    Arrays.sort(nanos, 0, size);
    return nanos[(int) ((size - 1) * percent / 100)];
  }
}
