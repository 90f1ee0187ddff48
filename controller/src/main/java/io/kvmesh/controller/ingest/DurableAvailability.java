package io.kvmesh.controller.ingest;

import io.kvmesh.controller.index.redis.DurableViewException;
import io.kvmesh.controller.index.redis.DurableViewException.Reason;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the durable view takes changes, and when it is tried again if it doesn't. Written by the
 * writer's thread, state and failure may be read from any.
 */
final class DurableAvailability {

  private static final Logger log = LoggerFactory.getLogger(DurableAvailability.class);
  private static final long FIRST_RETRY_NANOS = Duration.ofMillis(500).toNanos();
  private static final long LAST_RETRY_NANOS = Duration.ofSeconds(5).toNanos();

  private final IngestCounters counters;
  private final LongSupplier nanos;
  private long retryNanos = FIRST_RETRY_NANOS;
  private long nextTryNanos;
  private volatile IngestStatus.Durable state = IngestStatus.Durable.AWAY;
  private volatile @Nullable String failure;

  DurableAvailability(IngestCounters counters, LongSupplier nanos) {
    this.counters = counters;
    this.nanos = nanos;
    this.nextTryNanos = nanos.getAsLong();
  }

  IngestStatus.Durable state() {
    return state;
  }

  /** Why it takes no changes; null while it does, or hasn't been asked yet. */
  @Nullable String failure() {
    return failure;
  }

  boolean mayTry() {
    return nanos.getAsLong() >= nextTryNanos;
  }

  /** It has taken a change. That it can be read is not enough: a replica can, and a full one. */
  void succeeded() {
    if (state != IngestStatus.Durable.UP) {
      log.info("The durable view takes changes");
    }
    state = IngestStatus.Durable.UP;
    failure = null;
    retryNanos = FIRST_RETRY_NANOS;
  }

  void failed(DurableViewException e) {
    IngestStatus.Durable now =
        e.reason() == Reason.UNSUPPORTED_FORMAT
            ? IngestStatus.Durable.UNSUPPORTED
            : IngestStatus.Durable.AWAY;
    String reason = String.valueOf(e.getMessage());
    if (state != now || !reason.equals(failure)) {
      log.warn("The durable view takes no changes: {}", reason);
    }
    state = now;
    failure = reason;
    counters.failures.increment();
    nextTryNanos = nanos.getAsLong() + retryNanos;
    retryNanos = Math.min(2 * retryNanos, LAST_RETRY_NANOS);
  }
}
