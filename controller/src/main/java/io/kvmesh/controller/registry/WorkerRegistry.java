package io.kvmesh.controller.registry;

import io.kvmesh.common.key.WorkerId;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The workers that the view in memory knows. Reads return immutable views, from any thread; only
 * ingest writes, from one thread.
 */
public final class WorkerRegistry {

  private static final Comparator<WorkerView> BY_REGISTRATION =
      Comparator.comparingLong(WorkerView::registeredMillis)
          .thenComparing(worker -> worker.id().toString());

  private final ConcurrentMap<WorkerId, WorkerView> workers = new ConcurrentHashMap<>();

  /** The worker, unless it was never heard of or is down. */
  public Optional<WorkerView> worker(WorkerId id) {
    return Optional.ofNullable(workers.get(id));
  }

  /** All workers, the first registered first. */
  public List<WorkerView> workers() {
    return workers.values().stream().sorted(BY_REGISTRATION).toList();
  }

  /** Ingest only: the worker is as the view says. */
  public void put(WorkerView worker) {
    workers.put(worker.id(), worker);
  }

  /** Ingest only: the worker is down. */
  public void remove(WorkerId id) {
    workers.remove(id);
  }

  /** Ingest only: the log is another one. */
  public void clear() {
    workers.clear();
  }
}
