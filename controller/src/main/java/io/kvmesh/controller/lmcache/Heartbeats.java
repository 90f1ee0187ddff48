package io.kvmesh.controller.lmcache;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.directory.DirectoryReply;
import io.kvmesh.common.wire.directory.FullSyncCommand;
import io.kvmesh.common.wire.directory.HeartbeatMsg;
import io.kvmesh.common.wire.directory.HeartbeatRetMsg;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerView;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Answers heartbeats. An agent (it tells its epoch) writes its own heartbeats to the log; here it
 * only asks what the view holds of it. A foreign worker's is written to the log for it, and
 * registers a worker that the view doesn't know. Any thread.
 */
final class Heartbeats {

  private static final String UNKNOWN = "worker_unknown";
  private static final String OLDER_EPOCH = "epoch_differs";
  private static final String SUSPECT = "worker_suspect";

  private final ForeignWorkers workers;
  private final WorkerRegistry registry;
  private final LogView view;
  private final Conflicts conflicts;

  Heartbeats(ForeignWorkers workers, WorkerRegistry registry, LogView view, Conflicts conflicts) {
    this.workers = workers;
    this.registry = registry;
    this.view = view;
    this.conflicts = conflicts;
  }

  CompletableFuture<DirectoryReply> answer(HeartbeatMsg message) {
    WorkerId worker = new WorkerId(message.instanceId(), message.workerId());
    WorkerView known = registry.worker(worker).orElse(null);
    Long epoch = message.epoch();
    return epoch == null
        ? foreign(worker, known, message)
        : CompletableFuture.completedFuture(agent(worker, known, epoch));
  }

  private HeartbeatRetMsg agent(WorkerId worker, @Nullable WorkerView known, long epoch) {
    String reason = view.ready() ? reasonToList(worker, known, epoch) : null;
    return new HeartbeatRetMsg(
        reason == null ? List.of() : List.of(new FullSyncCommand(reason, null)),
        known == null ? null : known.epoch());
  }

  private @Nullable String reasonToList(WorkerId worker, @Nullable WorkerView known, long epoch) {
    if (known == null) {
      return UNKNOWN;
    }
    if (known.epoch() > epoch) {
      return null;
    }
    if (known.epoch() < epoch) {
      return OLDER_EPOCH;
    }
    return known.suspect() || view.snapshotWanted(worker) ? SUSPECT : null;
  }

  private CompletableFuture<DirectoryReply> foreign(
      WorkerId worker, @Nullable WorkerView known, HeartbeatMsg message) {
    Announcement announcement =
        ForeignWorkers.announcement(message.ip(), message.port(), message.peerInitUrl());
    if (known == null || known.announcement() == null) {
      return unknownForeign(worker, announcement);
    }
    if (!ForeignWorkers.isForeign(known)) {
      conflicts.note(worker, known.announcement(), announcement);
      return CompletableFuture.completedFuture(Registration.agentAlive(worker));
    }
    // Another process of that identity must not keep the registered one alive.
    if (conflicts.sameAddress(worker, known.announcement(), announcement)) {
      workers.epoch(worker).ifPresent(epoch -> workers.heartbeat(worker, epoch, announcement));
    }
    return CompletableFuture.completedFuture(new HeartbeatRetMsg(List.of()));
  }

  private CompletableFuture<DirectoryReply> unknownForeign(
      WorkerId worker, Announcement announcement) {
    if (!view.ready() || workers.epoch(worker).isPresent()) {
      return CompletableFuture.completedFuture(new HeartbeatRetMsg(List.of()));
    }
    return workers
        .registerOnce(worker, announcement)
        .handle(
            (epoch, failure) ->
                failure == null ? new HeartbeatRetMsg(List.of()) : Registration.logUnavailable());
  }
}
