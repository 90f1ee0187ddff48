package io.kvmesh.controller.command;

import io.kvmesh.common.wire.control.ClearWorkerMsg;
import io.kvmesh.common.wire.control.ClearWorkerRetMsg;
import io.kvmesh.common.wire.control.ErrorMsg;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerView;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Carries an operator's commands to the workers of an instance, all at once. A receipt says what
 * the workers did; the index changes only when their own events arrive. Any thread.
 */
public final class CommandService {

  /** The location that a command means when it names none. */
  public static final String DEFAULT_LOCATION = "LocalCPUBackend";

  private final WorkerRegistry registry;
  private final WorkerCommandClient client;
  private final Duration timeout;

  public CommandService(WorkerRegistry registry, WorkerCommandClient client, Duration timeout) {
    this.registry = registry;
    this.client = client;
    this.timeout = timeout;
  }

  /**
   * Drops what can be dropped at a location of each worker. Silent workers are asked too.
   *
   * @return empty if the instance has no worker; else completes within the timeout, never
   *     exceptionally
   */
  public Optional<CompletableFuture<ClearReceipt>> clear(String instanceId, String location) {
    List<WorkerView> workers =
        registry.workers().stream()
            .filter(worker -> worker.id().instanceId().equals(instanceId))
            .sorted(Comparator.comparingInt(worker -> worker.id().rank()))
            .toList();
    if (workers.isEmpty()) {
      return Optional.empty();
    }
    String event = "Clear" + UUID.randomUUID();
    List<CompletableFuture<WorkerReceipt>> receipts =
        workers.stream().map(worker -> clearWorker(worker, location, event)).toList();
    return Optional.of(
        CompletableFuture.allOf(receipts.toArray(CompletableFuture[]::new))
            .thenApply(
                done ->
                    new ClearReceipt(
                        instanceId,
                        location,
                        receipts.stream().map(CompletableFuture::join).toList())));
  }

  private CompletableFuture<WorkerReceipt> clearWorker(
      WorkerView worker, String location, String event) {
    Announcement announcement = worker.announcement();
    if (announcement == null) {
      return CompletableFuture.completedFuture(
          WorkerReceipt.failed(
              worker.id(), WorkerReceipt.Status.FAILED, "the worker's address is not known yet"));
    }
    var request = new ClearWorkerMsg("Worker" + worker.id().rank() + event, location);
    return client
        .send(announcement.ip(), announcement.port(), request, timeout)
        .thenApply(outcome -> receipt(worker, outcome));
  }

  private static WorkerReceipt receipt(WorkerView worker, CommandOutcome outcome) {
    return switch (outcome) {
      case CommandOutcome.Replied(ClearWorkerRetMsg reply) ->
          new WorkerReceipt(
              worker.id(),
              WorkerReceipt.Status.DONE,
              reply.numTokens(),
              reply.numChunks(),
              reply.epoch(),
              reply.sequence(),
              null);
      case CommandOutcome.Replied(ErrorMsg reply) ->
          WorkerReceipt.failed(worker.id(), WorkerReceipt.Status.REFUSED, reply.error());
      case CommandOutcome.Replied(var reply) ->
          WorkerReceipt.failed(
              worker.id(),
              WorkerReceipt.Status.FAILED,
              "the worker answered with " + reply.getClass().getSimpleName());
      case CommandOutcome.TimedOut() ->
          WorkerReceipt.failed(
              worker.id(),
              WorkerReceipt.Status.TIMED_OUT,
              "no answer in time; the worker may have done it");
      case CommandOutcome.Garbled(String reason) ->
          WorkerReceipt.failed(worker.id(), WorkerReceipt.Status.FAILED, reason);
      case CommandOutcome.NotSent(String reason) ->
          WorkerReceipt.failed(worker.id(), WorkerReceipt.Status.FAILED, reason);
    };
  }
}
