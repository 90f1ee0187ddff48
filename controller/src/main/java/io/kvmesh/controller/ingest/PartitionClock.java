package io.kvmesh.controller.ingest;

import java.time.Duration;

/**
 * The time of a partition of the log, made of the time between its records. A gap longer than
 * records are apart while somebody writes says only that nobody wrote, or that the broker was away:
 * it counts as the longest ordinary one, so that an outage makes nobody silent.
 */
final class PartitionClock {

  private final long longestStepMillis;
  private long lastTimestampMillis = Long.MIN_VALUE;
  private long millis;

  PartitionClock(Duration longestStep) {
    this.longestStepMillis = longestStep.toMillis();
  }

  /** A record was appended at that time. */
  void advance(long timestampMillis) {
    if (lastTimestampMillis == Long.MIN_VALUE) {
      lastTimestampMillis = timestampMillis;
    } else if (timestampMillis > lastTimestampMillis) {
      millis += Math.min(timestampMillis - lastTimestampMillis, longestStepMillis);
      lastTimestampMillis = timestampMillis;
    }
  }

  /** Milliseconds since the first record. */
  long millis() {
    return millis;
  }
}
