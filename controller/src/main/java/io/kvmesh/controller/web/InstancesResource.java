package io.kvmesh.controller.web;

import io.kvmesh.controller.registry.WorkerState;
import io.kvmesh.controller.registry.WorkerView;
import java.util.ArrayList;
import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Instances: the workers of one engine. */
@RestController
@RequestMapping("/api/v1/instances")
public final class InstancesResource {

  private final WorkerCatalog catalog;

  public InstancesResource(WorkerCatalog catalog) {
    this.catalog = catalog;
  }

  /**
   * All instances that the view knows, in order of registration.
   *
   * @param ready whether the log has been read to its end
   */
  record Instances(boolean ready, List<InstanceJson> instances) {}

  /**
   * An instance and the number of its workers in each state.
   *
   * @param drained of them, in whatever state, that are being drained or were
   */
  record InstanceJson(
      String instanceId,
      List<Integer> ranks,
      long live,
      long suspect,
      long silent,
      long drained,
      long chunks) {

    static InstanceJson of(String instanceId, List<WorkerView> workers) {
      return new InstanceJson(
          instanceId,
          workers.stream().map(worker -> worker.id().rank()).sorted().toList(),
          count(workers, WorkerState.LIVE),
          count(workers, WorkerState.SUSPECT),
          count(workers, WorkerState.SILENT),
          workers.stream().filter(worker -> worker.lastBeat().drain() != null).count(),
          workers.stream().mapToLong(WorkerView::residentCount).sum());
    }

    private static long count(List<WorkerView> workers, WorkerState state) {
      return workers.stream().filter(worker -> worker.state() == state).count();
    }
  }

  /** One instance with its workers. */
  record InstanceDetail(String instanceId, List<WorkerJson> workers) {}

  @GetMapping
  Instances instances() {
    List<InstanceJson> instances = new ArrayList<>();
    WorkerView.byInstance(catalog.views())
        .forEach((id, workers) -> instances.add(InstanceJson.of(id, workers)));
    return new Instances(catalog.ready(), instances);
  }

  @GetMapping("/{instance}")
  InstanceDetail instance(@PathVariable String instance) {
    List<WorkerJson> workers = catalog.list(id -> id.instanceId().equals(instance));
    if (workers.isEmpty()) {
      throw Problems.notFound("instance", instance);
    }
    return new InstanceDetail(instance, workers);
  }
}
