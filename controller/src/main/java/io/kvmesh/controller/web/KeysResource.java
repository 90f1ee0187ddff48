package io.kvmesh.controller.web;

import io.kvmesh.controller.index.ChunkIndex;
import io.kvmesh.controller.index.KeyTotals;
import io.kvmesh.controller.registry.WorkerView;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** How many chunks there are. */
@RestController
@RequestMapping("/api/v1/keys")
public final class KeysResource {

  private final ChunkIndex index;
  private final WorkerCatalog catalog;

  public KeysResource(ChunkIndex index, WorkerCatalog catalog) {
    this.index = index;
    this.catalog = catalog;
  }

  /**
   * Placements of the view. A chunk that two workers hold counts twice.
   *
   * @param ready whether the log has been read to its end
   */
  record KeyStats(
      boolean ready,
      long placements,
      long workers,
      List<KeyspaceStats> keyspaces,
      List<InstanceStats> perInstance,
      List<WorkerStats> perWorker) {}

  /** Placements of one keyspace. */
  record KeyspaceStats(String keyspace, long placements) {}

  /** Chunks of one instance, over all its workers. */
  record InstanceStats(String instanceId, int workers, long chunks) {}

  /** Chunks of one worker and their order-free digest, an unsigned decimal number. */
  record WorkerStats(String instanceId, int rank, long chunks, String digest) {}

  @GetMapping("/stats")
  KeyStats stats() {
    List<KeyspaceStats> keyspaces =
        index.countByKeyspace().entrySet().stream()
            .map(entry -> new KeyspaceStats(entry.getKey().toString(), entry.getValue()))
            .sorted((one, other) -> one.keyspace().compareTo(other.keyspace()))
            .toList();
    List<WorkerStats> workers = catalog.views().stream().map(this::of).toList();
    return new KeyStats(
        catalog.ready(),
        keyspaces.stream().mapToLong(KeyspaceStats::placements).sum(),
        workers.size(),
        keyspaces,
        byInstance(workers),
        workers);
  }

  private static List<InstanceStats> byInstance(List<WorkerStats> workers) {
    Map<String, InstanceStats> instances = new LinkedHashMap<>();
    for (WorkerStats worker : workers) {
      instances.merge(
          worker.instanceId(),
          new InstanceStats(worker.instanceId(), 1, worker.chunks()),
          (all, one) ->
              new InstanceStats(all.instanceId(), all.workers() + 1, all.chunks() + one.chunks()));
    }
    return List.copyOf(instances.values());
  }

  private WorkerStats of(WorkerView worker) {
    KeyTotals totals = index.totals(worker.id());
    return new WorkerStats(
        worker.id().instanceId(),
        worker.id().rank(),
        totals.count(),
        HashValue.text(totals.digest()));
  }
}
