package io.kvmesh.controller.ingest;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.index.redis.DurableViewException;
import io.kvmesh.controller.index.redis.DurableViewException.Reason;
import io.kvmesh.controller.index.redis.RedisIndex;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes from the durable view what somebody else has written under its keys: it can be neither
 * read nor changed, and would hold up its partition for good. What it stood for is then missing, and
 * comes back from the log and by snapshots, as after a Redis that restarted empty.
 */
final class DurableRepair {

  private static final Logger log = LoggerFactory.getLogger(DurableRepair.class);

  private final RedisIndex durable;
  private final IngestCounters counters;

  DurableRepair(RedisIndex durable, IngestCounters counters) {
    this.durable = durable;
    this.counters = counters;
  }

  /**
   * What is left of a change's failure: null if it was for what is under the worker's keys, which is
   * gone then.
   */
  @Nullable DurableViewException unrepaired(WorkerId worker, CompletionException failure) {
    DurableViewException cause = RedisIndex.cause(failure);
    if (cause.reason() != Reason.CORRUPT) {
      return cause;
    }
    try {
      remove(worker, cause);
      return null;
    } catch (DurableViewException e) {
      return e;
    }
  }

  /** What is read of the worker; null if it couldn't be, and is gone. */
  <T> @Nullable T readable(WorkerId worker, Supplier<T> read) {
    try {
      return read.get();
    } catch (DurableViewException e) {
      if (e.reason() != Reason.CORRUPT) {
        throw e;
      }
      remove(worker, e);
      return null;
    }
  }

  private void remove(WorkerId worker, DurableViewException cause) {
    counters.failures.increment();
    log.warn("Worker {} is written anew to the durable view: {}", worker, cause.getMessage());
    durable.purge(worker);
  }

  /** Begins the view anew, if that is what the failure calls for and Redis allows it. */
  void all(DurableViewException failure, String topicId) {
    if (failure.reason() != Reason.CORRUPT) {
      return;
    }
    log.warn("All of the durable view is written anew: {}", failure.getMessage());
    try {
      durable.purge();
      durable.begin(topicId);
    } catch (DurableViewException e) {
      log.debug("The durable view can't be begun anew: {}", e.getMessage());
    }
  }
}
