package io.kvmesh.agent.transfer;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** The one moment by which a request must be answered, whatever it has to do. Immutable. */
public final class Deadline {

  private final LongSupplier nanoTime;
  private final long atNanos;

  private Deadline(LongSupplier nanoTime, long atNanos) {
    this.nanoTime = nanoTime;
    this.atNanos = atNanos;
  }

  /** From now on, by a clock that only moves forward (System::nanoTime). */
  public static Deadline after(Duration time, LongSupplier nanoTime) {
    return new Deadline(nanoTime, nanoTime.getAsLong() + time.toNanos());
  }

  /** What is left; zero or less once it has passed. */
  public long remainingNanos() {
    return atNanos - nanoTime.getAsLong();
  }

  /** What is left, never negative. */
  public Duration remaining() {
    return Duration.ofNanos(Math.max(0, remainingNanos()));
  }

  /** A deadline after half of what is left. */
  Deadline half() {
    return new Deadline(nanoTime, atNanos - remainingNanos() / 2);
  }

  /** Whether it has passed. */
  public boolean passed() {
    return remainingNanos() <= 0;
  }

  @Override
  public String toString() {
    return "in " + TimeUnit.NANOSECONDS.toMillis(remainingNanos()) + " ms";
  }
}
