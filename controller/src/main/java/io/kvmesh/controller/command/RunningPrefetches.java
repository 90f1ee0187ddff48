package io.kvmesh.controller.command;

import io.kvmesh.common.wire.control.CancelPrefetchWorkerMsg;
import io.kvmesh.common.wire.control.CheckPrefetchWorkerMsg;
import io.kvmesh.common.wire.control.ControlRequest;
import io.kvmesh.common.wire.control.PrefetchWorkerRetMsg;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.controller.registry.WorkerView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The prefetches under way: asks their workers how far they are, and tells them to end. As many as
 * there may be commands. Any thread.
 */
final class RunningPrefetches {

  /** One of them. */
  static final class Running {
    private final List<WorkerView> workers;
    private final CompletableFuture<CommandView> end = new CompletableFuture<>();
    private volatile boolean cancelled;

    private Running(List<WorkerView> workers) {
      this.workers = workers;
    }
  }

  private final CommandLog log;
  private final WorkerCommandClient client;
  private final Duration timeout;
  private final Map<String, Running> byId = new ConcurrentHashMap<>();

  /**
   * @param timeout of a question
   */
  RunningPrefetches(CommandLog log, WorkerCommandClient client, Duration timeout) {
    this.log = log;
    this.client = client;
    this.timeout = timeout;
  }

  void begin(String id, List<WorkerView> workers) {
    byId.put(id, new Running(workers));
  }

  void end(CommandView view) {
    Running ended = byId.remove(view.id());
    if (ended != null) {
      ended.end.complete(view);
    }
  }

  /** Whether it was cancelled, so that nothing of it is to be sent any more. */
  boolean isCancelled(String id) {
    Running running = byId.get(id);
    return running != null && running.cancelled;
  }

  /** Asks for its progress, which is then in the log; at once if it isn't under way. */
  CompletableFuture<Void> askForProgress(String id) {
    Running running = byId.get(id);
    return running == null
        ? CompletableFuture.completedFuture(null)
        : tell(id, running, CheckPrefetchWorkerMsg::new);
  }

  /**
   * Tells its workers to end it.
   *
   * @return completes with its end; empty if it isn't under way
   */
  Optional<CompletableFuture<CommandView>> cancel(String id) {
    Running running = byId.get(id);
    if (running == null) {
      return Optional.empty();
    }
    running.cancelled = true;
    var unused = tell(id, running, CancelPrefetchWorkerMsg::new);
    return Optional.of(running.end);
  }

  private CompletableFuture<Void> tell(
      String id, Running running, Function<String, ControlRequest> message) {
    return CompletableFuture.allOf(
        running.workers.stream()
            .filter(worker -> log.isOpen(id, worker.id()))
            .map(worker -> tell(id, worker, message))
            .toArray(CompletableFuture[]::new));
  }

  private CompletableFuture<Void> tell(
      String id, WorkerView worker, Function<String, ControlRequest> message) {
    Announcement told = worker.announcement();
    if (told == null) {
      return CompletableFuture.completedFuture(null);
    }
    String eventId = WorkerMessages.eventId(id, worker.id().rank());
    return client
        .send(told.ip(), told.port(), message.apply(eventId), timeout)
        .thenAccept(
            outcome -> {
              // One that has no such prefetch yet, or is gone, is seen by the command's own
              // outcome.
              if (outcome instanceof CommandOutcome.Replied(PrefetchWorkerRetMsg soFar)) {
                log.noteSoFar(id, worker.id(), soFar);
              }
            });
  }
}
