package io.kvmesh.quickstart.replay;

import java.util.Arrays;

/** Keeps every sample (nanoseconds): a replay has thousands, not millions. Not thread-safe. */
public final class LatencyRecorder {

  private long[] samples = new long[1_024];
  private int count;

  /** Takes a sample. */
  public void record(long nanos) {
    if (count == samples.length) {
      samples = Arrays.copyOf(samples, count * 2);
    }
    samples[count++] = nanos;
  }

  /** What the samples so far come to. */
  public Latency summary() {
    long[] sorted = Arrays.copyOf(samples, count);
    Arrays.sort(sorted);
    return new Latency(count, percentile(sorted, 50), percentile(sorted, 99));
  }

  /** Nearest rank: the smallest sample that {@code percent} of all do not exceed. */
  private static long percentile(long[] sorted, int percent) {
    if (sorted.length == 0) {
      return 0;
    }
    int rank = (int) Math.ceilDiv((long) sorted.length * percent, 100L);
    return sorted[Math.max(rank, 1) - 1];
  }
}
