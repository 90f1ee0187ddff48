package io.kvmesh.controller.lmcache;

import io.kvmesh.common.key.KeyFormatException;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.directory.BatchedKVOperationMsg;
import io.kvmesh.common.wire.directory.DeRegisterMsg;
import io.kvmesh.common.wire.directory.DirectoryMessage;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerView;
import java.util.OptionalLong;

/**
 * Turns what foreign workers push into log events. A message of a worker that the view doesn't know
 * waits until the view has read the log up to the moment of the message's arrival; one that is
 * still of an unknown worker then is dropped and counted. Order is kept per worker.
 *
 * <p>Owned by the thread of the pull socket.
 */
final class PushHandler {

  private final ForeignWorkers workers;
  private final WorkerRegistry registry;
  private final HeldMessages held;
  private final FrontCounts counts;

  PushHandler(
      ForeignWorkers workers,
      WorkerRegistry registry,
      LogView view,
      FrontSettings settings,
      FrontCounts counts) {
    this.workers = workers;
    this.registry = registry;
    this.counts = counts;
    this.held = new HeldMessages(this::tryDeliver, view, settings, counts);
  }

  /** Takes a message; one that this socket doesn't serve is counted. */
  void handle(DirectoryMessage message) {
    switch (message) {
      case BatchedKVOperationMsg operations ->
          accept(worker(operations.instanceId(), operations.workerId()), operations);
      case DeRegisterMsg goodbye ->
          accept(worker(goodbye.instanceId(), goodbye.workerId()), goodbye);
      default -> counts.unsupported(FrontCounts.Door.PULL);
    }
  }

  /** To be called every few milliseconds. */
  void tick() {
    held.tick();
  }

  /**
   * @throws KeyFormatException if the message names no possible worker
   */
  private static WorkerId worker(String instanceId, int workerId) {
    return new WorkerId(instanceId, workerId);
  }

  private void accept(WorkerId worker, DirectoryMessage message) {
    if (held.flush(worker) || !tryDeliver(worker, message)) {
      held.hold(worker, message);
    }
  }

  /** False if the worker isn't known. */
  private boolean tryDeliver(WorkerId worker, DirectoryMessage message) {
    if (registry.worker(worker).filter(PushHandler::isAgent).isPresent()) {
      counts.lost(FrontCounts.Loss.AGENT);
      return true;
    }
    OptionalLong epoch = workers.epoch(worker);
    if (epoch.isEmpty()) {
      return false;
    }
    switch (message) {
      case BatchedKVOperationMsg operations ->
          workers.operations(
              worker, epoch.getAsLong(), operations.location(), operations.operations());
      case DeRegisterMsg goodbye -> workers.down(worker, epoch.getAsLong());
      default -> throw new IllegalArgumentException("not pushed: " + message);
    }
    return true;
  }

  private static boolean isAgent(WorkerView view) {
    return view.announcement() != null && !ForeignWorkers.isForeign(view);
  }
}
