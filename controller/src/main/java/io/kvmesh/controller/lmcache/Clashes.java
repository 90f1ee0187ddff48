package io.kvmesh.controller.lmcache;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.toMap;

import io.kvmesh.common.count.LogLimit;
import io.kvmesh.controller.registry.WorkerProbe;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerView;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Two identities that claim one address (ip and port, or where peers ask), or one identity at two
 * addresses. Either the former process is gone, and came back, or somebody has a wrong setting; and
 * whoever is alive keeps what it has. Any thread.
 *
 * <p>At an address only one process can listen, so an answer from there is of somebody alive. Whose
 * it is no reply tells: LMCache's name neither instance nor rank. But a worker reads its control
 * port only after its registration was answered. So while a registration waits, an answer is that
 * of the other one; when a heartbeat makes the claim, it may be that of the claimant, and proves
 * nothing. Who gives no sign of life while the claim waits (see {@link Claim.Wait}), or is silent,
 * makes room and is written off.
 *
 * <p>A worker waits 30 s for the reply to its registration, and registers once in its life.
 */
final class Clashes {

  private static final Logger LOG = LoggerFactory.getLogger(Clashes.class);

  private static final CompletableFuture<Boolean> NOT_ASKED =
      CompletableFuture.completedFuture(false);

  private final ForeignWorkers workers;
  private final WorkerRegistry registry;
  private final LogView view;
  private final WorkerProbe probe;
  private final Duration wait;
  private final FrontCounts counts;
  private final LongSupplier nanos;
  private final LogLimit logLimit;
  private final Queue<Claim.Wait> waiting = new ConcurrentLinkedQueue<>();

  /**
   * @param wait for a sign of life of the other one
   */
  Clashes(
      ForeignWorkers workers,
      WorkerRegistry registry,
      LogView view,
      WorkerProbe probe,
      Duration wait,
      FrontCounts counts,
      LongSupplier nanos) {
    this.workers = workers;
    this.registry = registry;
    this.view = view;
    this.probe = probe;
    this.wait = wait;
    this.counts = counts;
    this.nanos = nanos;
    this.logLimit = new LogLimit(nanos);
  }

  /** The other worker that lives, after a wait for a sign of it where there may be one. */
  CompletableFuture<Optional<WorkerView>> ofRegistration(Claim claim) {
    return holder(claim, other -> probe.isAlive(other.id(), requireNonNull(other.announcement())));
  }

  /** The same; one that sends heartbeats and isn't silent lives. */
  CompletableFuture<Optional<WorkerView>> ofHeartbeat(Claim claim) {
    return opponents(claim).stream()
        .filter(other -> other.lastHeartbeatMillis() >= 0)
        .findFirst()
        .map(other -> CompletableFuture.completedFuture(refused(claim, other)))
        .orElseGet(() -> holder(claim, other -> NOT_ASKED));
  }

  private CompletableFuture<Optional<WorkerView>> holder(
      Claim claim, Function<WorkerView, CompletableFuture<Boolean>> answer) {
    if (opponents(claim).isEmpty()) {
      return CompletableFuture.completedFuture(freed(claim));
    }
    // What the other one said before the claim is no sign of life.
    return view.caughtUp(wait).thenCompose(read -> await(claim, answer));
  }

  private CompletableFuture<Optional<WorkerView>> await(
      Claim claim, Function<WorkerView, CompletableFuture<Boolean>> answer) {
    var began =
        new Claim.Wait(
            claim,
            opponents(claim).stream().collect(toMap(Function.identity(), answer)),
            nanos.getAsLong(),
            wait);
    waiting.add(began);
    return began.outcome();
  }

  /** Decides the claims that can be; to be called every few milliseconds by one thread. */
  void tick() {
    Queue<Runnable> decided = new ArrayDeque<>();
    for (Iterator<Claim.Wait> each = waiting.iterator(); each.hasNext(); ) {
      Claim.Wait claim = each.next();
      WorkerView alive = claim.alive(registry);
      if (alive != null) {
        decided.add(() -> claim.outcome().complete(refused(claim.claim(), alive)));
      } else if (claim.isOver(registry, nanos.getAsLong())) {
        decided.add(() -> claim.outcome().complete(freed(claim.claim())));
      } else {
        continue;
      }
      each.remove();
    }
    decided.forEach(Runnable::run);
  }

  private Optional<WorkerView> refused(Claim claim, WorkerView other) {
    counts.clash();
    if (logLimit.permits()) {
      LOG.warn(
          "Worker {} at {} is refused: {}",
          claim.worker(),
          claim.announcement().ip() + ":" + claim.announcement().port(),
          Registration.reason(claim, other));
    }
    return Optional.of(other);
  }

  private Optional<WorkerView> freed(Claim claim) {
    registry.workers().stream()
        .filter(other -> claim.clashesWith(other) && !other.id().equals(claim.worker()))
        .forEach(workers::writeOff);
    return Optional.empty();
  }

  private List<WorkerView> opponents(Claim claim) {
    return registry.workers().stream().filter(claim::isOpposedBy).toList();
  }
}
