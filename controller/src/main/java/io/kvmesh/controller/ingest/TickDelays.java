package io.kvmesh.controller.ingest;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Measures how long a record takes from being given to the log until the view in memory has it. A
 * tick takes the way that a worker's admit takes, and begins and ends in this program: one clock is
 * enough. At most one tick a partition is followed at a time. Any thread.
 */
final class TickDelays {

  private static final long NANOS_PER_MILLI = 1_000_000;

  private final ReadPositions positions;
  private final Consumer<Duration> measured;
  private final LongSupplier nanos;

  @GuardedBy("this")
  private final Map<Integer, Tick> under = new HashMap<>();

  @GuardedBy("this")
  private final Map<Integer, Long> lastNanos = new HashMap<>();

  private record Tick(long offset, long begunNanos) {}

  TickDelays(ReadPositions positions, Consumer<Duration> measured, LongSupplier nanos) {
    this.positions = positions;
    this.measured = measured;
    this.nanos = nanos;
  }

  /** The log has taken a tick that was given to it at that time. */
  void written(int partition, long offset, long begunNanos) {
    synchronized (this) {
      Tick before = under.get(partition);
      // One that is farther than the log now is, was in another log.
      if (before == null || before.offset > offset) {
        under.put(partition, new Tick(offset, begunNanos));
      }
    }
    check();
  }

  /** The view has gone on. */
  synchronized void check() {
    if (under.isEmpty()) {
      return;
    }
    long now = nanos.getAsLong();
    for (var ticks = under.entrySet().iterator(); ticks.hasNext(); ) {
      Map.Entry<Integer, Tick> tick = ticks.next();
      if (positions.next(tick.getKey()) > tick.getValue().offset) {
        long took = now - tick.getValue().begunNanos;
        lastNanos.put(tick.getKey(), took);
        measured.accept(Duration.ofNanos(took));
        ticks.remove();
      }
    }
  }

  /** What the partition's last tick took, or the one under way has taken; null if there is none. */
  synchronized @Nullable Long millis(int partition) {
    Tick tick = under.get(partition);
    Long last = lastNanos.get(partition);
    long waited = tick == null ? 0 : nanos.getAsLong() - tick.begunNanos;
    if (last == null && tick == null) {
      return null;
    }
    return Math.max(waited, last == null ? 0 : last) / NANOS_PER_MILLI;
  }
}
