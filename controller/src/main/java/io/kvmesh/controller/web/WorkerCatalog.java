package io.kvmesh.controller.web;

import io.kvmesh.common.key.KeyFormatException;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.lookup.Mismatch;
import io.kvmesh.controller.lookup.Mismatches;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerView;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Workers as answers show them. Any thread. */
public final class WorkerCatalog {

  private final WorkerRegistry registry;
  private final LogProgress progress;

  public WorkerCatalog(WorkerRegistry registry, LogProgress progress) {
    this.registry = registry;
    this.progress = progress;
  }

  /** Whether the log has been read to its end. */
  public boolean ready() {
    return progress.ready();
  }

  Map<Integer, LogProgress.Lag> lags() {
    return progress.lags();
  }

  /** In order of registration. */
  public List<WorkerView> views() {
    return registry.workers();
  }

  /** In order of registration. */
  List<WorkerJson> list(Predicate<WorkerId> wanted) {
    List<WorkerView> all = registry.workers();
    Map<WorkerId, Mismatch> mismatches = Mismatches.among(all);
    Map<Integer, LogProgress.Lag> lags = progress.lags();
    return all.stream()
        .filter(worker -> wanted.test(worker.id()))
        .map(
            worker ->
                WorkerJson.of(worker, lags.get(worker.partition()), mismatches.get(worker.id())))
        .toList();
  }

  /** Those that were dropped and have not come back, the first first. */
  List<WrittenOffJson> writtenOff(Predicate<WorkerId> wanted) {
    return registry.writtenOff().stream()
        .filter(worker -> wanted.test(worker.id()))
        .map(WrittenOffJson::of)
        .toList();
  }

  /** The identity, whether or not there is such a worker. */
  static WorkerId id(String instanceId, int rank) {
    if (rank < 0) {
      throw Problems.badRequest("rank", rank, "must be at least 0");
    }
    try {
      return new WorkerId(instanceId, rank);
    } catch (KeyFormatException e) {
      throw Problems.badRequest("instanceId", instanceId, "is no instance id");
    }
  }
}
