package io.kvmesh.controller.lmcache;

import io.kvmesh.common.count.LogLimit;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerState;
import io.kvmesh.controller.registry.WorkerView;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Two identities that claim one address (ip and port, or where peers ask). Only one process can
 * listen there, so either the former one is dead, and came back under another name, or somebody has
 * a wrong setting. A heartbeat of the former after the latter's claim tells which: whoever gives
 * none until it counts as silent, or never gave one, makes room and is written off. Any thread.
 *
 * <p>A worker waits 30 s for the reply to its registration, and registers once in its life.
 */
final class Clashes {

  private static final Logger LOG = LoggerFactory.getLogger(Clashes.class);

  /** No claim waits longer for a sign of life of the other; LMCache's workers wait 30 s. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(20);

  private final ForeignWorkers workers;
  private final WorkerRegistry registry;
  private final LogView view;
  private final FrontCounts counts;
  private final LongSupplier nanos;
  private final LogLimit logLimit;
  private final Queue<Claim> waiting = new ConcurrentLinkedQueue<>();

  /** A claim that waits, and the other worker as it was when the claim was made. */
  private record Claim(
      WorkerId worker,
      Announcement announcement,
      WorkerView other,
      long deadlineNanos,
      CompletableFuture<Optional<WorkerId>> answer) {}

  Clashes(
      ForeignWorkers workers,
      WorkerRegistry registry,
      LogView view,
      FrontCounts counts,
      LongSupplier nanos) {
    this.workers = workers;
    this.registry = registry;
    this.view = view;
    this.counts = counts;
    this.nanos = nanos;
    this.logLimit = new LogLimit(nanos);
  }

  /** The other worker that is alive at the address, as far as it can be told at once. */
  Optional<WorkerId> holder(WorkerId worker, Announcement announcement) {
    List<WorkerView> others = others(worker, announcement);
    Optional<WorkerView> alive = others.stream().filter(Clashes::isAlive).findFirst();
    if (alive.isPresent()) {
      return Optional.of(refused(worker, alive.get()));
    }
    others.forEach(workers::writeOff);
    return Optional.empty();
  }

  /** The same, but waits until the other one has given a sign of life, or none in time. */
  CompletableFuture<Optional<WorkerId>> awaitHolder(WorkerId worker, Announcement announcement) {
    if (others(worker, announcement).stream().noneMatch(Clashes::isAlive)) {
      return CompletableFuture.completedFuture(holder(worker, announcement));
    }
    // What the other one said before the claim is no sign of life.
    return view.caughtUp(MAX_WAIT).thenCompose(read -> await(worker, announcement));
  }

  private CompletableFuture<Optional<WorkerId>> await(WorkerId worker, Announcement announcement) {
    Optional<WorkerView> other =
        others(worker, announcement).stream().filter(Clashes::isAlive).findFirst();
    if (other.isEmpty()) {
      return CompletableFuture.completedFuture(holder(worker, announcement));
    }
    CompletableFuture<Optional<WorkerId>> answer = new CompletableFuture<>();
    long deadline = nanos.getAsLong() + MAX_WAIT.toNanos();
    waiting.add(new Claim(worker, announcement, other.get(), deadline, answer));
    return answer;
  }

  /** Decides the claims that can be; to be called every few milliseconds by one thread. */
  void tick() {
    Queue<Runnable> decided = new ArrayDeque<>();
    for (Iterator<Claim> each = waiting.iterator(); each.hasNext(); ) {
      Claim claim = each.next();
      WorkerView now = registry.worker(claim.other.id()).orElse(null);
      if (now == null || !clash(claim.worker, claim.announcement, now) || !isAlive(now)) {
        decided.add(() -> claim.answer.complete(holder(claim.worker, claim.announcement)));
      } else if (now.lastHeartbeatMillis() > claim.other.lastHeartbeatMillis()) {
        decided.add(() -> claim.answer.complete(Optional.of(refused(claim.worker, now))));
      } else if (nanos.getAsLong() - claim.deadlineNanos >= 0) {
        decided.add(() -> claim.answer.complete(displaced(now)));
      } else {
        continue;
      }
      each.remove();
    }
    decided.forEach(Runnable::run);
  }

  private Optional<WorkerId> displaced(WorkerView other) {
    workers.writeOff(other);
    return Optional.empty();
  }

  private WorkerId refused(WorkerId worker, WorkerView other) {
    counts.clash();
    if (logLimit.permits()) {
      LOG.warn(
          "Worker {} is refused: its address is that of worker {}, which is alive",
          worker,
          other.id());
    }
    return other.id();
  }

  private List<WorkerView> others(WorkerId worker, Announcement announcement) {
    return registry.workers().stream().filter(other -> clash(worker, announcement, other)).toList();
  }

  private static boolean clash(WorkerId worker, Announcement announcement, WorkerView other) {
    Announcement held = other.announcement();
    if (held == null || other.id().equals(worker)) {
      return false;
    }
    boolean sameDoor = held.ip().equals(announcement.ip()) && held.port() == announcement.port();
    String url = announcement.peerInitUrl();
    return sameDoor || (url != null && !url.isBlank() && url.equals(held.peerInitUrl()));
  }

  /** As far as heartbeats tell: one without them can't show that it is. */
  private static boolean isAlive(WorkerView worker) {
    return worker.state() != WorkerState.SILENT && worker.lastHeartbeatMillis() >= 0;
  }
}
