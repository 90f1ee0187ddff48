package io.kvmesh.common.count;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Lets one of many alike log lines through: the first, then one in ten seconds. Any thread. */
public final class LogLimit {

  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final LongSupplier nanoTime;
  private final AtomicLong nextNanos;

  /** By a clock that only moves forward (System::nanoTime). */
  public LogLimit(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.nextNanos = new AtomicLong(nanoTime.getAsLong());
  }

  /** Whether the next line may be written. */
  public boolean permits() {
    long next = nextNanos.get();
    long now = nanoTime.getAsLong();
    return now - next >= 0 && nextNanos.compareAndSet(next, now + PAUSE_NANOS);
  }
}
