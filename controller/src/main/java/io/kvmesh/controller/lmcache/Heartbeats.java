package io.kvmesh.controller.lmcache;

import io.kvmesh.common.key.WorkerAddress;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.directory.DirectoryReply;
import io.kvmesh.common.wire.directory.FullSyncCommand;
import io.kvmesh.common.wire.directory.HeartbeatMsg;
import io.kvmesh.common.wire.directory.HeartbeatRetMsg;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.controller.registry.SyncView;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerState;
import io.kvmesh.controller.registry.WorkerView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Answers heartbeats. An agent (it tells its epoch) writes its own heartbeats to the log; here it
 * only asks what the view holds of it. A foreign worker's is written to the log for it, and
 * registers a worker that the log doesn't know. Either is asked to list all it holds where the view
 * needs it. Any thread.
 */
final class Heartbeats {

  private static final String UNKNOWN = "worker_unknown";
  private static final String OLDER_EPOCH = "epoch_differs";
  private static final String SUSPECT = "worker_suspect";
  private static final String REREGISTERED = "worker_re_registered";
  private static final String RESTART = "controller_restart";
  private static final String RETRY = "sync_failed_retry";

  /** So many workers are remembered without a look for those that are gone. */
  private static final int MANY = 1_000;

  private static final HeartbeatRetMsg NOTHING = new HeartbeatRetMsg(List.of());

  private final ForeignWorkers workers;
  private final WorkerRegistry registry;
  private final LogView view;
  private final Conflicts conflicts;
  private final Clashes clashes;
  private final FullSyncs fullSyncs;
  private final Duration holdFor;

  /** The lives of workers of which the durable view needed a list at their last heartbeat. */
  private final Map<WorkerId, Long> neededByDurable = new ConcurrentHashMap<>();

  Heartbeats(
      ForeignWorkers workers,
      WorkerRegistry registry,
      LogView view,
      Conflicts conflicts,
      Clashes clashes,
      FullSyncs fullSyncs,
      Duration holdFor) {
    this.workers = workers;
    this.registry = registry;
    this.view = view;
    this.conflicts = conflicts;
    this.clashes = clashes;
    this.fullSyncs = fullSyncs;
    this.holdFor = holdFor;
  }

  CompletableFuture<DirectoryReply> answer(HeartbeatMsg message) {
    WorkerId worker = new WorkerId(message.instanceId(), message.workerId());
    WorkerAddress.require(message.ip(), message.port(), message.peerInitUrl());
    WorkerView known = registry.worker(worker).orElse(null);
    Long epoch = message.epoch();
    return epoch == null
        ? foreign(worker, known, message)
        : CompletableFuture.completedFuture(agent(known, epoch, message));
  }

  private HeartbeatRetMsg agent(@Nullable WorkerView known, long epoch, HeartbeatMsg message) {
    WorkerId worker = new WorkerId(message.instanceId(), message.workerId());
    String reason = view.ready() ? reasonToList(worker, known, epoch) : null;
    if (known != null && epoch < known.epoch()) {
      conflicts.bothLive(known, announcement(message), epoch);
    }
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
    Announcement announcement = announcement(message);
    if (known == null) {
      return unknownForeign(worker, announcement);
    }
    return known(known, announcement);
  }

  private static Announcement announcement(HeartbeatMsg message) {
    return ForeignWorkers.announcement(message.ip(), message.port(), message.peerInitUrl());
  }

  /** Where the registered process is silent, another of its identity takes its place. */
  private CompletableFuture<DirectoryReply> known(WorkerView known, Announcement announcement) {
    Announcement before = known.announcement();
    boolean moved =
        known.state() == WorkerState.SILENT
            && ForeignWorkers.isForeign(known)
            && before != null
            && !Conflicts.sameAddress(before, announcement);
    boolean seen = workers.epoch(known.id()).orElse(-1) == known.epoch();
    return moved && seen && view.ready()
        ? resume(known.id(), announcement)
        : CompletableFuture.completedFuture(foreign(known, announcement));
  }

  private DirectoryReply foreign(WorkerView known, Announcement announcement) {
    WorkerId worker = known.id();
    Announcement before = known.announcement();
    boolean elsewhere = before != null && !Conflicts.sameAddress(before, announcement);
    boolean second = elsewhere && conflicts.bothLive(known, announcement, null);
    if (ForeignWorkers.isAgent(known)) {
      // One that tells no epoch has just begun: the log is yet to take its registration.
      return second ? Registration.agentAlive(worker) : NOTHING;
    }
    // Another process of that identity must not keep the registered one alive.
    if (elsewhere) {
      return NOTHING;
    }
    workers.epoch(worker).ifPresent(epoch -> workers.heartbeat(worker, epoch, announcement));
    return listing(reason(known));
  }

  /** A message of its former life may be all that the view lacks, so it is let read on first. */
  private CompletableFuture<DirectoryReply> unknownForeign(
      WorkerId worker, Announcement announcement) {
    if (!view.ready() || workers.epoch(worker).isPresent()) {
      return CompletableFuture.completedFuture(NOTHING);
    }
    return view.caughtUp(holdFor)
        .thenCompose(read -> read ? stillUnknown(worker, announcement) : nothing());
  }

  private CompletableFuture<DirectoryReply> stillUnknown(
      WorkerId worker, Announcement announcement) {
    WorkerView known = registry.worker(worker).orElse(null);
    if (known != null) {
      return known(known, announcement);
    }
    return workers.epoch(worker).isPresent() ? nothing() : resume(worker, announcement);
  }

  private CompletableFuture<DirectoryReply> resume(WorkerId worker, Announcement announcement) {
    Claim claim = new Claim(worker, announcement);
    return Registration.refusalOr(
        claim, clashes.ofHeartbeat(claim), () -> resumed(worker, announcement));
  }

  private CompletableFuture<DirectoryReply> resumed(WorkerId worker, Announcement announcement) {
    return workers
        .resume(worker, announcement)
        .handle(
            (epoch, failure) ->
                failure == null ? listing(REREGISTERED) : Registration.logUnavailable());
  }

  private static CompletableFuture<DirectoryReply> nothing() {
    return CompletableFuture.completedFuture(NOTHING);
  }

  private HeartbeatRetMsg listing(@Nullable String reason) {
    return reason == null || !fullSyncs.hasRoom()
        ? NOTHING
        : new HeartbeatRetMsg(List.of(new FullSyncCommand(reason, null)));
  }

  /** Whether the durable view lacks what this one has, and not just the last moment. */
  private boolean durableNeedsIt(WorkerView known) {
    if (known.suspect() || !view.snapshotWanted(known.id())) {
      neededByDurable.remove(known.id());
      return false;
    }
    if (neededByDurable.size() >= MANY) {
      neededByDurable.keySet().removeIf(id -> registry.worker(id).isEmpty());
    }
    Long life = neededByDurable.put(known.id(), known.epoch());
    return life != null && life == known.epoch();
  }

  /** Why the worker must list what it holds; null if it need not, or is doing so. */
  private @Nullable String reason(WorkerView known) {
    SyncView.Wanted wanted = known.sync().wanted();
    if (!view.ready() || known.sync().isRunning()) {
      return null;
    }
    if (wanted == null) {
      return durableNeedsIt(known) ? RESTART : null;
    }
    return switch (wanted) {
      case GAP -> SUSPECT;
      case REREGISTERED -> REREGISTERED;
      case INCOMPLETE -> RESTART;
      case FAILED -> RETRY;
    };
  }
}
