package io.kvmesh.controller.lmcache;

import io.kvmesh.common.key.KeyFormatException;
import io.kvmesh.common.key.Location;
import io.kvmesh.common.key.SyncId;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.OpType;
import io.kvmesh.common.wire.directory.BatchedKVOperationMsg;
import io.kvmesh.common.wire.directory.DeRegisterMsg;
import io.kvmesh.common.wire.directory.DirectoryMessage;
import io.kvmesh.common.wire.directory.FullSyncBatchMsg;
import io.kvmesh.common.wire.directory.FullSyncEndMsg;
import io.kvmesh.common.wire.directory.KVAdmitMsg;
import io.kvmesh.common.wire.directory.KVEvictMsg;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.controller.registry.WorkerRegistry;
import java.util.List;
import java.util.OptionalLong;

/**
 * Turns what foreign workers push into log events. A message of a worker that the view doesn't know
 * waits until the view has read the log up to the moment of the message's arrival; one that is
 * still of an unknown worker then is dropped and counted. Order is kept per worker. The single
 * admits and evicts of older workers are batches of one.
 *
 * <p>Owned by the thread of the pull socket.
 */
final class PushHandler {

  private final ForeignWorkers workers;
  private final WorkerRegistry registry;
  private final HeldMessages held;
  private final Conflicts conflicts;
  private final FrontCounts counts;

  PushHandler(
      ForeignWorkers workers,
      WorkerRegistry registry,
      Conflicts conflicts,
      LogView view,
      FrontSettings settings,
      FrontCounts counts) {
    this.workers = workers;
    this.registry = registry;
    this.conflicts = conflicts;
    this.counts = counts;
    this.held = new HeldMessages(this::tryDeliver, workers::hasRoom, view, settings, counts);
  }

  /** Takes a message; one that this socket doesn't serve is counted. */
  void handle(DirectoryMessage message) {
    switch (message) {
      case BatchedKVOperationMsg operations ->
          accept(
              worker(operations.instanceId(), operations.workerId(), operations.location()),
              operations);
      case DeRegisterMsg goodbye ->
          accept(worker(goodbye.instanceId(), goodbye.workerId()), goodbye);
      case FullSyncBatchMsg batch when !FullSyncs.isBatchNumber(batch.batchId()) ->
          counts.lost(FrontCounts.Loss.BATCH_NUMBER);
      case FullSyncBatchMsg batch -> {
        SyncId.require(batch.syncId());
        accept(worker(batch.instanceId(), batch.workerId(), batch.location()), batch);
      }
      case FullSyncEndMsg end -> {
        SyncId.require(end.syncId());
        accept(worker(end.instanceId(), end.workerId(), end.location()), end);
      }
      case KVAdmitMsg admit -> handle(batch(admit));
      case KVEvictMsg evict -> handle(batch(evict));
      default -> counts.unsupported(FrontCounts.Door.PULL);
    }
  }

  private static BatchedKVOperationMsg batch(KVAdmitMsg admit) {
    var operation = new KVOpEvent(OpType.ADMIT, admit.key(), admit.seqNum());
    return new BatchedKVOperationMsg(
        admit.instanceId(), admit.workerId(), admit.location(), List.of(operation));
  }

  private static BatchedKVOperationMsg batch(KVEvictMsg evict) {
    var operation = new KVOpEvent(OpType.EVICT, evict.key(), evict.seqNum());
    return new BatchedKVOperationMsg(
        evict.instanceId(), evict.workerId(), evict.location(), List.of(operation));
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

  /**
   * The same, with a location.
   *
   * @throws KeyFormatException if that can't be one
   */
  private static WorkerId worker(String instanceId, int workerId, String location) {
    Location.require(location);
    return worker(instanceId, workerId);
  }

  private void accept(WorkerId worker, DirectoryMessage message) {
    if (held.flush(worker) || !tryDeliver(worker, message)) {
      held.hold(worker, message);
    }
  }

  /** False if the worker isn't known. */
  private boolean tryDeliver(WorkerId worker, DirectoryMessage message) {
    if (registry.worker(worker).filter(ForeignWorkers::isAgent).isPresent()) {
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
      case DeRegisterMsg goodbye -> goodbye(worker, epoch.getAsLong(), goodbye);
      case FullSyncBatchMsg batch -> workers.syncBatch(worker, epoch.getAsLong(), batch);
      case FullSyncEndMsg end -> workers.syncEnd(worker, epoch.getAsLong(), end);
      default -> throw new IllegalArgumentException("not pushed: " + message);
    }
    return true;
  }

  /** A process that another of its identity has replaced must not take that one with it. */
  private void goodbye(WorkerId worker, long epoch, DeRegisterMsg goodbye) {
    Announcement known = workers.announcement(worker);
    Announcement leaving = ForeignWorkers.announcement(goodbye.ip(), goodbye.port(), null);
    if (known == null || Conflicts.sameAddress(known, leaving)) {
      workers.down(worker, epoch);
    } else {
      conflicts.note(worker, known, leaving);
    }
  }
}
