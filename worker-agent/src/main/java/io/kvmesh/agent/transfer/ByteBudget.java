package io.kvmesh.agent.transfer;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Bytes that may be under way at once. First come, first served. Any thread. */
final class ByteBudget {

  private static final int UNIT_BYTES = 1024;

  private final int units;
  private final Semaphore free;

  ByteBudget(long bytes) {
    units = Math.clamp(Math.ceilDiv(bytes, (long) UNIT_BYTES), 1, Integer.MAX_VALUE);
    free = new Semaphore(units, true);
  }

  /**
   * Takes that many as soon as they are free and nobody has waited for longer; more than there are
   * counts as all of them.
   *
   * @param atMostNanos how long to wait for them; zero or less = not at all
   * @return false if nothing is taken
   */
  boolean take(long bytes, long atMostNanos) throws InterruptedException {
    return free.tryAcquire(unitsFor(bytes), atMostNanos, TimeUnit.NANOSECONDS);
  }

  /** Gives back what was taken. */
  void giveBack(long bytes) {
    free.release(unitsFor(bytes));
  }

  /** Bytes that are taken, to the unit. */
  long taken() {
    return (long) (units - free.availablePermits()) * UNIT_BYTES;
  }

  private int unitsFor(long bytes) {
    return Math.clamp(Math.ceilDiv(bytes, (long) UNIT_BYTES), 1, units);
  }
}
