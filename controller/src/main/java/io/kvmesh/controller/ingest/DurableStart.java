package io.kvmesh.controller.ingest;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.index.ChangeOutcome;
import io.kvmesh.controller.index.ChangeStep;
import io.kvmesh.controller.index.LocalView;
import io.kvmesh.controller.index.WorkerChange;
import io.kvmesh.controller.index.redis.DurableViewException;
import io.kvmesh.controller.index.redis.RedisIndex;
import io.kvmesh.controller.index.redis.StoredLog;
import io.kvmesh.controller.index.redis.StoredWorker;
import io.kvmesh.controller.log.EventLogTopic;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fills the view in memory with what the durable view holds. How far that is is read first, the
 * workers second, each one's keys last: the keys may be newer than the rest, and the log from there
 * on, applied whole, makes them right. Snapshots that are under way are not followed.
 *
 * <p>Redis that doesn't answer for {@link #PATIENCE} is done without: the log from its start is all
 * there is, and snapshots fill the rest.
 */
final class DurableStart implements ViewReader.Start {

  private static final Logger log = LoggerFactory.getLogger(DurableStart.class);
  private static final Duration PATIENCE = Duration.ofSeconds(15);
  private static final long NEVER = Long.MIN_VALUE;

  private final RedisIndex durable;
  private final LongSupplier nanos;
  private long failingSince = NEVER;

  DurableStart(RedisIndex durable, LongSupplier nanos) {
    this.durable = durable;
    this.nanos = nanos;
  }

  @Override
  public Map<Integer, Long> load(EventLogTopic.Description topic, MemoryApplier into) {
    try {
      Map<Integer, Long> next = loadOnce(topic, into);
      failingSince = NEVER;
      return next;
    } catch (DurableViewException e) {
      into.clear();
      if (e.reason() == DurableViewException.Reason.UNAVAILABLE && isWorthWaiting()) {
        throw e;
      }
      log.warn("The view is loaded from the log alone: {}", e.getMessage());
      failingSince = NEVER;
      return Map.of();
    }
  }

  private boolean isWorthWaiting() {
    long now = nanos.getAsLong();
    if (failingSince == NEVER) {
      failingSince = now;
    }
    return now - failingSince < PATIENCE.toNanos();
  }

  private Map<Integer, Long> loadOnce(EventLogTopic.Description topic, MemoryApplier into) {
    StoredLog stored = durable.readLog();
    if (!stored.topic().equals(topic.id())) {
      log.info("The durable view holds nothing of this topic: the log is read from its start");
      return Map.of();
    }
    int loaded = 0;
    for (WorkerId worker : durable.listWorkers().keySet()) {
      if (loadReadable(worker, topic.id(), into)) {
        loaded++;
      }
    }
    log.info("Loaded {} workers from the durable view", loaded);
    return stored.next();
  }

  /** Of a worker that somebody has written over the log alone tells: it comes back suspect. */
  private boolean loadReadable(WorkerId worker, String topicId, MemoryApplier into) {
    try {
      StoredWorker state = durable.readWorker(worker).orElse(null);
      if (state == null || !state.topic().equals(topicId)) {
        return false;
      }
      load(worker, state, into);
      return true;
    } catch (DurableViewException e) {
      if (!e.isCorrupt()) {
        throw e;
      }
      log.warn("Worker {} is not loaded from the durable view: {}", worker, e.getMessage());
      into.index().forget(worker);
      return false;
    }
  }

  private void load(WorkerId worker, StoredWorker state, MemoryApplier into) {
    LocalView index = into.index();
    long offset = state.progress().offset();
    long[] unplaced = {fill(index, worker, -1, offset, List.of())};
    for (String set : index.keepsChunks() ? state.sets() : List.<String>of()) {
      durable.readKeys(
          worker,
          set,
          (location, keyspace, hashBits) -> {
            boolean[] admits = new boolean[hashBits.length];
            Arrays.fill(admits, true);
            unplaced[0] +=
                fill(
                    index,
                    worker,
                    offset,
                    offset,
                    List.of(
                        new ChangeStep.Operations(location, keyspace, hashBits, admits, false)));
          });
    }
    long now = durable.readOffset(worker);
    if (now == -1) {
      // It went down meanwhile; the log tells.
      index.forget(worker);
    } else if (now < offset) {
      throw DurableViewException.unavailable("It has gone back while it was being read");
    } else {
      into.resume(worker, state.progress().withoutSnapshots(), unplaced[0]);
      if (now == offset && unplaced[0] == 0 && !isWhole(index, worker, state)) {
        log.warn("Worker {} has not the keys in the durable view that it should have", worker);
        into.suspect(worker);
      }
    }
  }

  private static boolean isWhole(LocalView index, WorkerId worker, StoredWorker state) {
    return !index.keepsChunks()
        || state.totals().entrySet().stream()
            .allMatch(told -> index.totals(worker, told.getKey()).equals(told.getValue()));
  }

  /** How many of the chunks there was no room for. */
  private static long fill(
      LocalView index, WorkerId worker, long expected, long offset, List<ChangeStep> steps) {
    WorkerChange change =
        new WorkerChange(
            worker,
            expected,
            offset,
            false,
            steps,
            () -> {
              throw new IllegalStateException("The view in memory keeps no progress");
            });
    return index.apply(change) instanceof ChangeOutcome.Applied applied ? applied.unplaced() : 0;
  }
}
