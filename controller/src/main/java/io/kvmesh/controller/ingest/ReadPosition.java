package io.kvmesh.controller.ingest;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * How far a reader is on one partition. The broker's times are compared with each other only, and
 * this machine's likewise. Any thread.
 */
final class ReadPosition {

  private static final int MAX_MARKS = 256;
  private static final long NANOS_PER_MILLI = 1_000_000;

  /** The partition ended there at that time, or later. */
  private record Mark(long end, long askedNanos) {}

  @GuardedBy("this")
  private final ArrayDeque<Mark> ahead = new ArrayDeque<>();

  @GuardedBy("this")
  private long next;

  @GuardedBy("this")
  private long end;

  /** All that the partition had then has been applied. */
  @GuardedBy("this")
  private long reachedNanos;

  @GuardedBy("this")
  private @Nullable Long logMillis;

  @GuardedBy("this")
  private long appliedNanos;

  ReadPosition(long next, long nowNanos) {
    this.next = next;
    this.end = next;
    this.reachedNanos = nowNanos;
  }

  synchronized void applied(long upTo, long timestampMillis, long nowNanos) {
    next = upTo;
    end = Math.max(end, upTo);
    logMillis = logMillis == null ? timestampMillis : Math.max(logMillis, timestampMillis);
    appliedNanos = nowNanos;
    reach();
  }

  synchronized void end(long told, long askedNanos) {
    end = told;
    if (ahead.size() == MAX_MARKS) {
      ahead.removeLast();
    }
    ahead.add(new Mark(told, askedNanos));
    reach();
  }

  @GuardedBy("this")
  private void reach() {
    for (Mark mark = ahead.peek(); mark != null && mark.end <= next; mark = ahead.peek()) {
      reachedNanos = ahead.remove().askedNanos;
    }
  }

  synchronized long next() {
    return next;
  }

  synchronized boolean isAtEnd() {
    return next >= end;
  }

  synchronized PartitionLag lag(
      int partition, @Nullable Long visibleMillis, boolean owned, long nowNanos) {
    long records = Math.max(0, end - next);
    return new PartitionLag(
        partition,
        next,
        end,
        records,
        records == 0 ? 0 : Math.max(0, nowNanos - reachedNanos) / NANOS_PER_MILLI,
        visibleMillis,
        logMillis == null ? null : logMillis + (nowNanos - appliedNanos) / NANOS_PER_MILLI,
        owned);
  }
}
