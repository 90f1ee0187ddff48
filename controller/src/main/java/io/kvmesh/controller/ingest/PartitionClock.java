package io.kvmesh.controller.ingest;

import java.time.Duration;

/**
 * The time of a partition of the log, made of the time between its records. A gap longer than
 * records are apart while somebody writes says only that nobody wrote, or that the broker was away:
 * it counts as the longest ordinary one, so that an outage makes nobody silent.
 *
 * <p>Times that go back a little are those of brokers whose clocks differ: time stands still until
 * they have caught up. Times that go back far are those of a clock that was wrong before and has
 * been put right: time goes on from there, else a day's jump would hide all silence for a day.
 */
final class PartitionClock {

  /** How many of the longest steps brokers' clocks may differ by. */
  private static final int FAR_STEPS = 30;

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
    } else if (lastTimestampMillis - timestampMillis > FAR_STEPS * longestStepMillis) {
      lastTimestampMillis = timestampMillis;
    }
  }

  /** Milliseconds since the first record. */
  long millis() {
    return millis;
  }
}
