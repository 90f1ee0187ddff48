package io.kvmesh.controller.lmcache;

import io.kvmesh.common.key.Location;
import io.kvmesh.common.key.SyncId;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.directory.DirectoryReply;
import io.kvmesh.common.wire.directory.FullSyncStartMsg;
import io.kvmesh.common.wire.directory.FullSyncStartRetMsg;
import io.kvmesh.common.wire.directory.FullSyncStatusMsg;
import io.kvmesh.common.wire.directory.FullSyncStatusRetMsg;
import io.kvmesh.controller.registry.SyncTotals;
import io.kvmesh.controller.registry.SyncView;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerView;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Starts foreign workers' full syncs and tells how far they are. All of a sync goes onto the log
 * and its state is read from the view, so any controller may be asked and may get any part. Any
 * thread.
 *
 * <p>A worker stays frozen until its status says that it may go on, so that is said of whatever
 * isn't being followed: a sync that is void, of a former life, or never heard of.
 */
final class FullSyncs {

  private static final int MAX_BATCHES = 1 << 16;
  private static final long MAX_KEYS = 100_000_000;

  /** Of the workers so many must be done before those that are may go on, as with LMCache. */
  private static final double ENOUGH = 0.8;

  private static final String REFUSED =
      "Failed to start sync: worker already syncing with different sync_id or worker not found";

  private final ForeignWorkers workers;
  private final WorkerRegistry registry;
  private final LogView view;
  private final Duration holdFor;
  private final int maxSyncs;

  FullSyncs(ForeignWorkers workers, WorkerRegistry registry, LogView view, FrontSettings settings) {
    this.workers = workers;
    this.registry = registry;
    this.view = view;
    this.holdFor = settings.holdFor();
    this.maxSyncs = settings.maxSyncs();
  }

  static boolean isBatchNumber(int batchId) {
    return batchId >= 0 && batchId < MAX_BATCHES;
  }

  /** Whether another sync may be asked for. */
  boolean hasRoom() {
    return SyncTotals.of(registry.workers()).syncing() < maxSyncs;
  }

  /**
   * Answers once the log has the start, so that what is pushed afterwards comes behind it, and the
   * view has read it, so that another start is refused.
   */
  CompletableFuture<DirectoryReply> start(FullSyncStartMsg sync) {
    WorkerId worker = new WorkerId(sync.instanceId(), sync.workerId());
    Location.require(sync.location());
    SyncId.require(sync.syncId());
    if (!isBatchNumber(sync.batchCount() - 1)) {
      return now(refused(sync, "batch_count must be 1 to %d".formatted(MAX_BATCHES)));
    }
    if (sync.totalKeys() < 0 || sync.totalKeys() > MAX_KEYS) {
      return now(refused(sync, "total_keys must be 0 to %d".formatted(MAX_KEYS)));
    }
    if (workers.epoch(worker).isPresent()) {
      return start(worker, sync);
    }
    return view.caughtUp(holdFor).thenCompose(read -> start(worker, sync));
  }

  private CompletableFuture<DirectoryReply> start(WorkerId worker, FullSyncStartMsg sync) {
    OptionalLong epoch = workers.epoch(worker);
    Optional<WorkerView> known = registry.worker(worker);
    if (epoch.isEmpty() || known.filter(ForeignWorkers::isAgent).isPresent()) {
      return now(refused(sync, REFUSED));
    }
    SyncView.Sync running = known.map(WorkerView::sync).map(FullSyncs::running).orElse(null);
    if (running != null && !running.id().equals(sync.syncId())) {
      return now(refused(sync, REFUSED));
    }
    if (running == null && !hasRoom()) {
      return now(refused(sync, "%d full syncs are under way already".formatted(maxSyncs)));
    }
    return workers
        .syncStart(worker, epoch.getAsLong(), sync)
        .thenCompose(offset -> view.caughtUp(holdFor))
        .handle(
            (read, failure) ->
                failure == null
                    ? new FullSyncStartRetMsg(sync.syncId(), true, null)
                    : refused(sync, "the event log can't be written"));
  }

  private static SyncView.@Nullable Sync running(SyncView sync) {
    return sync.isRunning() ? sync.latest() : null;
  }

  private static FullSyncStartRetMsg refused(FullSyncStartMsg sync, String reason) {
    return new FullSyncStartRetMsg(sync.syncId(), false, reason);
  }

  /** What isn't whole as far as the view knows is looked at again when the view has caught up. */
  CompletableFuture<DirectoryReply> status(FullSyncStatusMsg question) {
    WorkerId worker = new WorkerId(question.instanceId(), question.workerId());
    SyncId.require(question.syncId());
    keepAlive(worker);
    if (isComplete(worker, question.syncId())) {
      return now(status(worker, question.syncId()));
    }
    return view.caughtUp(holdFor).thenApply(read -> status(worker, question.syncId()));
  }

  /** A worker that is busy with its sync may have no time for heartbeats. */
  private void keepAlive(WorkerId worker) {
    registry
        .worker(worker)
        .filter(known -> ForeignWorkers.isForeign(known) && known.lastHeartbeatMillis() >= 0)
        .ifPresent(workers::heartbeat);
  }

  private boolean isComplete(WorkerId worker, String syncId) {
    return latest(worker, syncId)
        .filter(sync -> sync.state() == SyncView.State.COMPLETE)
        .isPresent();
  }

  private Optional<SyncView.Sync> latest(WorkerId worker, String syncId) {
    return registry
        .worker(worker)
        .map(known -> known.sync().latest())
        .filter(sync -> sync.id().equals(syncId));
  }

  private DirectoryReply status(WorkerId worker, String syncId) {
    double progress = SyncTotals.of(registry.workers()).progress();
    SyncView.Sync sync = latest(worker, syncId).orElse(null);
    if (sync == null || sync.state() == SyncView.State.FAILED) {
      // A view that isn't whole yet may know nothing of it.
      return new FullSyncStatusRetMsg(syncId, false, progress, view.ready(), List.of());
    }
    boolean complete = sync.state() == SyncView.State.COMPLETE;
    return new FullSyncStatusRetMsg(
        syncId, complete, progress, complete && progress >= ENOUGH, missing(sync));
  }

  /**
   * Batches to be sent again. If all have come and only the end hasn't, that was lost: the last
   * batch is named, since a worker sends the end again behind whatever it sends again.
   */
  private static List<Integer> missing(SyncView.Sync sync) {
    return sync.state() == SyncView.State.RUNNING && sync.whole()
        ? List.of(sync.batchCount() - 1)
        : sync.missing();
  }

  private static CompletableFuture<DirectoryReply> now(DirectoryReply reply) {
    return CompletableFuture.completedFuture(reply);
  }
}
