package io.kvmesh.controller.web;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.lookup.Barrier;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Workers and how far the view has applied their operations. */
@RestController
@RequestMapping("/api/v1/workers")
public final class WorkersResource {

  private final WorkerCatalog catalog;
  private final Barrier barrier;
  private final Duration maxWait;

  public WorkersResource(WorkerCatalog catalog, Barrier barrier, Duration maxWait) {
    this.catalog = catalog;
    this.barrier = barrier;
    this.maxWait = maxWait;
  }

  /**
   * All workers that the view knows.
   *
   * @param ready whether the log has been read to its end
   * @param writtenOff those dropped for their silence within the last hour that have not come back
   */
  record Workers(boolean ready, List<WorkerJson> workers, List<WrittenOffJson> writtenOff) {}

  /**
   * Answer of the barrier.
   *
   * @param epoch of the worker as the view knows it
   * @param sequence of its last operation applied; −1 = none known
   */
  record Applied(boolean applied, Barrier.Outcome outcome, long epoch, long sequence) {}

  @GetMapping
  Workers workers(@RequestParam(required = false) @Nullable String instanceId) {
    Predicate<WorkerId> wanted = id -> instanceId == null || id.instanceId().equals(instanceId);
    return new Workers(catalog.ready(), catalog.list(wanted), catalog.writtenOff(wanted));
  }

  @GetMapping("/{instance}/{rank}")
  WorkerJson worker(@PathVariable String instance, @PathVariable int rank) {
    WorkerId worker = WorkerCatalog.id(instance, rank);
    return catalog.list(worker::equals).stream()
        .findFirst()
        .orElseThrow(() -> Problems.notFound("worker", worker));
  }

  /** Answers when the operation is applied, never will be, or the time is over. */
  @GetMapping("/{instance}/{rank}/applied")
  CompletableFuture<Applied> applied(
      @PathVariable String instance,
      @PathVariable int rank,
      @RequestParam long epoch,
      @RequestParam long sequence,
      @RequestParam(defaultValue = "10000") long timeoutMillis) {
    WorkerId worker = WorkerCatalog.id(instance, rank);
    requireRange("epoch", epoch, Long.MAX_VALUE);
    requireRange("sequence", sequence, Long.MAX_VALUE);
    requireRange("timeoutMillis", timeoutMillis, maxWait.toMillis());
    return barrier
        .await(worker, epoch, sequence, Duration.ofMillis(timeoutMillis))
        .thenApply(answer -> applied(worker, answer));
  }

  private static Applied applied(WorkerId worker, Barrier.Answer answer) {
    if (answer.outcome() == Barrier.Outcome.REFUSED) {
      throw Problems.overloaded("too many barriers wait already");
    }
    if (!answer.applied() && answer.epoch() < 0) {
      throw Problems.notFound("worker", worker);
    }
    return new Applied(answer.applied(), answer.outcome(), answer.epoch(), answer.sequence());
  }

  private static void requireRange(String name, long value, long highest) {
    if (value < 0 || value > highest) {
      throw Problems.badRequest(name, value, "must be between 0 and " + highest);
    }
  }
}
