package io.kvmesh.controller.ops;

import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerState;
import io.kvmesh.controller.registry.WorkerView;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/** The workers in short: who is there, in what state, and how much of it is known. */
@Endpoint(id = "workers")
public final class WorkersEndpoint {

  private final WorkerRegistry registry;

  public WorkersEndpoint(WorkerRegistry registry) {
    this.registry = registry;
  }

  /** A worker, written instance/rank. */
  public record Worker(
      String worker,
      WorkerState state,
      boolean suspect,
      long epoch,
      long sequence,
      long chunks,
      int partition,
      long appliedOffset,
      long gaps,
      long duplicates) {

    static Worker of(WorkerView view) {
      return new Worker(
          view.id().toString(),
          view.state(),
          view.suspect(),
          view.epoch(),
          view.appliedSequence(),
          view.residentCount(),
          view.partition(),
          view.appliedOffset(),
          view.gaps(),
          view.duplicates());
    }
  }

  @ReadOperation
  public List<Worker> workers() {
    return registry.workers().stream().map(Worker::of).toList();
  }

  /** Null, which is answered 404, if there is no such instance. */
  @ReadOperation
  public @Nullable List<Worker> workersOf(@Selector String instance) {
    List<Worker> found =
        registry.workers().stream()
            .filter(view -> view.id().instanceId().equals(instance))
            .map(Worker::of)
            .toList();
    return found.isEmpty() ? null : found;
  }
}
