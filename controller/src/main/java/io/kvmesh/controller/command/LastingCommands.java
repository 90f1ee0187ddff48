package io.kvmesh.controller.command;

import io.kvmesh.common.wire.control.ControlRequest;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.controller.registry.WorkerView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The commands under way that last, prefetches and drains: asks their workers how far they are, and
 * tells them to end. As many as there may be commands. Any thread.
 */
final class LastingCommands {

  /** What is told to a worker of a command, by its event id there. */
  private interface Message {
    @Nullable ControlRequest of(Command command, String eventId);
  }

  /** One of them. */
  static final class Running {
    private final Command command;
    private final List<WorkerView> workers;
    private final CompletableFuture<CommandView> end = new CompletableFuture<>();
    private volatile boolean cancelled;

    private Running(Command command, List<WorkerView> workers) {
      this.command = command;
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
  LastingCommands(CommandLog log, WorkerCommandClient client, Duration timeout) {
    this.log = log;
    this.client = client;
    this.timeout = timeout;
  }

  /** Of those that don't last nothing is kept. */
  void begin(String id, Command command, List<WorkerView> workers) {
    if (WorkerMessages.cancel(command, id) != null) {
      byId.put(id, new Running(command, workers));
    }
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
        : tell(id, running, WorkerMessages::check);
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
    var unused = tell(id, running, WorkerMessages::cancel);
    return Optional.of(running.end);
  }

  private CompletableFuture<Void> tell(String id, Running running, Message message) {
    return CompletableFuture.allOf(
        running.workers.stream()
            .filter(worker -> log.isOpen(id, worker.id()))
            .map(worker -> tell(id, running.command, worker, message))
            .toArray(CompletableFuture[]::new));
  }

  private CompletableFuture<Void> tell(
      String id, Command command, WorkerView worker, Message message) {
    Announcement told = worker.announcement();
    ControlRequest request = message.of(command, WorkerMessages.eventId(id, worker.id().rank()));
    if (told == null || request == null) {
      return CompletableFuture.completedFuture(null);
    }
    // One that has no such command yet, or is gone, is seen by the command's own outcome.
    return client
        .send(told.ip(), told.port(), request, timeout)
        .thenAccept(
            outcome ->
                WorkerMessages.soFar(outcome)
                    .ifPresent(soFar -> log.noteSoFar(id, worker.id(), soFar)));
  }
}
