package io.kvmesh.controller.ingest;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.index.redis.DurableViewException;
import io.kvmesh.controller.index.redis.RedisCare;
import io.kvmesh.controller.index.redis.RedisIndex;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes from the durable view what somebody else has written under its keys: it can be neither
 * read nor changed, and would hold up its partition for good. What it stood for is then missing,
 * and comes back from the log and by snapshots, as after a Redis that restarted empty.
 */
final class DurableRepair {

  private static final Logger log = LoggerFactory.getLogger(DurableRepair.class);

  private final RedisIndex durable;
  private final RedisCare care;
  private final IngestCounters counters;
  private volatile String policy = RedisCare.NO_EVICTION;

  DurableRepair(RedisIndex durable, IngestCounters counters) {
    this.durable = durable;
    this.care = durable.care();
    this.counters = counters;
  }

  /**
   * What is left of a change's failure: null if it was for what is under the worker's keys, which
   * is gone then.
   */
  @Nullable DurableViewException unrepaired(WorkerId worker, CompletionException failure) {
    DurableViewException cause = RedisIndex.cause(failure);
    if (!cause.isCorrupt()) {
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
      if (!e.isCorrupt()) {
        throw e;
      }
      remove(worker, e);
      return null;
    }
  }

  /** Keys of the worker are gone, though nobody has been told to remove them. */
  void incomplete(WorkerId worker) {
    remove(worker, "keys that it was given are gone");
  }

  private void remove(WorkerId worker, DurableViewException cause) {
    remove(worker, String.valueOf(cause.getMessage()));
  }

  private void remove(WorkerId worker, String why) {
    counters.failures.increment();
    log.warn("Worker {} is written anew to the durable view: {}", worker, why);
    care.purge(worker);
  }

  /** The workers that the view lists; none if the list couldn't be read, and is gone. */
  Set<WorkerId> listed() {
    try {
      return durable.listWorkers().keySet();
    } catch (DurableViewException e) {
      if (!e.isCorrupt()) {
        throw e;
      }
      counters.failures.increment();
      log.warn("The durable view's list of workers is written anew: {}", e.getMessage());
      care.removeList();
      return Set.of();
    }
  }

  /** The list has lost the worker: who starts from the view would pass it over. */
  void list(WorkerId worker, int partition) {
    counters.failures.increment();
    log.warn("The durable view's list of workers lacked worker {}", worker);
    care.list(worker, partition);
  }

  /** Warns of a Redis that may drop keys of its own accord, once each time that it is found so. */
  void lookAtPolicy() {
    String found = care.evictionPolicy().orElse(policy);
    if (!found.equals(policy) && !found.equals(RedisCare.NO_EVICTION)) {
      log.warn(
          "Redis has maxmemory-policy {}: with its memory full it drops keys of the durable view,"
              + " which are then written anew, again and again. Set it to {}",
          found,
          RedisCare.NO_EVICTION);
    }
    policy = found;
  }

  /** The maxmemory-policy as it was read last. Any thread. */
  String evictionPolicy() {
    return policy;
  }

  /** Begins the view anew, if that is what the failure calls for and Redis allows it. */
  void all(DurableViewException failure, String topicId) {
    if (!failure.isCorrupt()) {
      return;
    }
    log.warn("All of the durable view is written anew: {}", failure.getMessage());
    try {
      care.purge();
      durable.begin(topicId);
    } catch (DurableViewException e) {
      log.debug("The durable view can't be begun anew: {}", e.getMessage());
    }
  }
}
