package io.kvmesh.benchmarks.front;

import java.util.Arrays;

/**
 * How many operations a view was behind, at times that are equally far apart.
 *
 * @param values in the order of time
 */
record LagSamples(long[] values) {

  /** The median just after the first third. */
  long early() {
    return median(values.length / 3, values.length / 2);
  }

  /** The median of the last sixth. */
  long late() {
    return median(values.length - Math.max(1, values.length / 6), values.length);
  }

  private long median(int from, int to) {
    long[] part = Arrays.copyOfRange(values, from, to);
    Arrays.sort(part);
    return part.length == 0 ? 0 : part[part.length / 2];
  }

  /** Whether it didn't grow, but for the slack. */
  boolean isFlat(long slack) {
    return late() <= early() + slack;
  }
}
