package io.kvmesh.common.zmq;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Lets one of many log lines through every ten seconds. Any thread. */
final class LogLimit {

  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final AtomicLong dueNanos = new AtomicLong(System.nanoTime());

  /** Whether a line may be written now. */
  boolean pass() {
    long now = System.nanoTime();
    long due = dueNanos.get();
    return now - due >= 0 && dueNanos.compareAndSet(due, now + INTERVAL_NANOS);
  }
}
