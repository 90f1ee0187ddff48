package io.kvmesh.controller.lmcache;

import static java.util.Objects.requireNonNull;

import io.kvmesh.common.key.WorkerAddress;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.directory.DirectoryReply;
import io.kvmesh.common.wire.directory.ErrorMsg;
import io.kvmesh.common.wire.directory.RegisterMsg;
import io.kvmesh.common.wire.directory.RegisterRetMsg;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerState;
import io.kvmesh.controller.registry.WorkerView;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Registers foreign workers. The reply leaves only when the log has the registration, so what the
 * worker pushes afterwards belongs to its new life. Any thread.
 */
final class Registration {

  private final ForeignWorkers workers;
  private final WorkerRegistry registry;
  private final Conflicts conflicts;
  private final Clashes clashes;
  private final Function<String, Map<String, String>> extraConfig;

  /**
   * @param extraConfig what a worker of that address is told at its registration
   */
  Registration(
      ForeignWorkers workers,
      WorkerRegistry registry,
      Conflicts conflicts,
      Clashes clashes,
      Function<String, Map<String, String>> extraConfig) {
    this.workers = workers;
    this.registry = registry;
    this.conflicts = conflicts;
    this.clashes = clashes;
    this.extraConfig = extraConfig;
  }

  CompletableFuture<DirectoryReply> register(RegisterMsg message) {
    WorkerId worker = new WorkerId(message.instanceId(), message.workerId());
    WorkerAddress.require(message.ip(), message.port(), message.peerInitUrl());
    Announcement announcement =
        ForeignWorkers.announcement(message.ip(), message.port(), message.peerInitUrl());
    WorkerView known = registry.worker(worker).orElse(null);
    if (known != null && known.announcement() != null && known.state() != WorkerState.SILENT) {
      if (!ForeignWorkers.isForeign(known)) {
        conflicts.note(worker, known.announcement(), announcement);
        return CompletableFuture.completedFuture(agentAlive(worker));
      }
    }
    Claim claim = new Claim(worker, announcement);
    return refusalOr(claim, clashes.ofRegistration(claim), () -> register(worker, announcement));
  }

  private CompletableFuture<DirectoryReply> register(WorkerId worker, Announcement announcement) {
    return workers
        .register(worker, announcement)
        .handle(
            (epoch, failure) ->
                failure == null
                    ? new RegisterRetMsg(extraConfig.apply(announcement.ip()))
                    : logUnavailable());
  }

  /** Refuses a claim that a worker stands in the way of; otherwise the reply is another's. */
  static CompletableFuture<DirectoryReply> refusalOr(
      Claim claim,
      CompletableFuture<Optional<WorkerView>> holder,
      Supplier<CompletableFuture<DirectoryReply>> granted) {
    return holder.thenCompose(
        found ->
            found
                .map(it -> CompletableFuture.completedFuture(refusal(claim, it)))
                .orElseGet(granted));
  }

  private static DirectoryReply refusal(Claim claim, WorkerView holder) {
    return new ErrorMsg(reason(claim, holder), ErrorMsg.BAD_REQUEST);
  }

  /** Why the claim is refused. */
  static String reason(Claim claim, WorkerView holder) {
    Announcement held = requireNonNull(holder.announcement());
    if (holder.id().equals(claim.worker())) {
      return "worker %s is alive at %s:%d".formatted(holder.id(), held.ip(), held.port());
    }
    Announcement claimed = claim.announcement();
    return "address %s:%d or peer_init_url %s is that of worker %s, which is alive"
        .formatted(claimed.ip(), claimed.port(), claimed.peerInitUrl(), holder.id());
  }

  static DirectoryReply logUnavailable() {
    return new ErrorMsg("the event log can't be written", ErrorMsg.NOT_READY);
  }

  static DirectoryReply agentAlive(WorkerId worker) {
    return new ErrorMsg(worker + " is an agent that writes to the log", ErrorMsg.BAD_REQUEST);
  }
}
