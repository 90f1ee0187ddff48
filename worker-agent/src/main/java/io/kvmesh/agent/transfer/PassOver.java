package io.kvmesh.agent.transfer;

import java.time.Duration;

/**
 * For how long a peer that failed is passed over: 100 ms, then twice as long for each further
 * failure in a row, up to a bound. One thread.
 */
final class PassOver {

  private static final long FIRST_NANOS = Duration.ofMillis(100).toNanos();
  private static final int MOST_DOUBLINGS = 20;

  private final long mostNanos;
  private int failures;
  private long untilNanos;

  PassOver(Duration most) {
    mostNanos = most.toNanos();
  }

  /** It failed. */
  void failed(long nowNanos) {
    long pause = FIRST_NANOS << Math.min(failures, MOST_DOUBLINGS);
    untilNanos = nowNanos + Math.min(pause, mostNanos);
    failures++;
  }

  /** It went away in the middle; the first time it may be asked again at once. */
  void lost(long nowNanos) {
    if (failures == 0) {
      failures = 1;
      untilNanos = nowNanos;
    } else {
      failed(nowNanos);
    }
  }

  /** It did what it should. */
  void succeeded() {
    failures = 0;
  }

  /** Whether it isn't to be asked now. */
  boolean isOn(long nowNanos) {
    return failures > 0 && untilNanos - nowNanos > 0;
  }

  /** Failures in a row. */
  int failures() {
    return failures;
  }
}
