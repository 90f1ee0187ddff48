package io.kvmesh.agent.drain;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.directory.DrainAdvisor;
import io.kvmesh.agent.transfer.ChunkMover;
import io.kvmesh.agent.transfer.MoveCount;
import io.kvmesh.agent.transfer.MoveLedger;
import io.kvmesh.agent.transfer.MoveReport;
import io.kvmesh.agent.transfer.PeerServer;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.event.DrainState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands the hot chunks of this agent over to workers that stay, in the order in which the policy
 * would keep them; one drain at a time. This agent serves on, its engine and its peers, and keeps
 * what they store; what is stored while a drain runs is left to the next. From the first drain on
 * it takes nothing from others that are drained, until it ends or a drain is cancelled. Any thread.
 */
public final class Drainer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Drainer.class);

  private static final Duration CLOSE = Duration.ofSeconds(5);

  /** A drain that is under way. */
  private static final class Drain {
    private final MoveLedger ledger;
    private final CompletableFuture<MoveReport> end = new CompletableFuture<>();
    private final Thread thread;
    private volatile boolean cancelled;

    Drain(MoveLedger ledger, Consumer<Drain> work) {
      this.ledger = ledger;
      this.thread = Thread.ofPlatform().daemon().name("drain").unstarted(() -> work.accept(this));
    }
  }

  private final ChunkCache cache;
  private final ChunkMover mover;
  private final DrainAdvisor advisor;
  private final PeerServer server;
  private final Counters<MoveCount> counters;
  private final LongSupplier nanoTime;
  private final AtomicReference<@Nullable Drain> underWay = new AtomicReference<>();
  private volatile @Nullable MoveReport last;
  private volatile boolean closing;

  /** Assigns only. */
  public Drainer(
      ChunkCache cache,
      ChunkMover mover,
      DrainAdvisor advisor,
      PeerServer server,
      Counters<MoveCount> counters,
      LongSupplier nanoTime) {
    this.cache = cache;
    this.mover = mover;
    this.advisor = advisor;
    this.server = server;
    this.counters = counters;
    this.nanoTime = nanoTime;
  }

  /**
   * Begins a drain on a thread of its own.
   *
   * @return completes with its report, on that thread; empty if another is under way, or this agent
   *     is closing
   */
  public Optional<CompletableFuture<MoveReport>> begin(DrainOrder order) {
    Drain drain = new Drain(MoveLedger.ofDrain(order.id(), counters), its -> run(its, order));
    if (closing || !underWay.compareAndSet(null, drain)) {
      counters.count(MoveCount.MOVE_REFUSED);
      return Optional.empty();
    }
    drain.thread.start();
    return Optional.of(drain.end);
  }

  /**
   * Drains, and waits for it: the last thing before this agent goes. A drain or a move that is
   * under way counts: it is waited for, within the same time.
   *
   * @return empty if there was no time left, or the caller was interrupted
   */
  public Optional<MoveReport> drain(String id, Duration atMost) {
    long end = nanoTime.getAsLong() + atMost.toNanos();
    try {
      Drain running = underWay.get();
      boolean idle = running == null || running.thread.join(atMost);
      Optional<CompletableFuture<MoveReport>> begun =
          idle && mover.awaitIdle(left(end))
              ? begin(DrainOrder.ofAll(id, left(end)))
              : Optional.empty();
      if (begun.isPresent()) {
        return Optional.of(begun.get().get());
      }
      LOG.warn("Nothing more is handed over: another drain or move took {}", atMost);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
    return Optional.empty();
  }

  private Duration left(long endNanos) {
    return Duration.ofNanos(Math.max(1, endNanos - nanoTime.getAsLong()));
  }

  private List<ChunkKey> hottestFirst() {
    return cache.snapshots().keysInPolicyOrder(Integer.MAX_VALUE).reversed();
  }

  private void run(Drain drain, DrainOrder order) {
    server.takesDrains(false);
    String stopped;
    try {
      DrainRun run = new DrainRun(mover, advisor, order, drain.ledger, nanoTime);
      stopped = run.run(hottestFirst());
    } catch (RuntimeException e) {
      LOG.error("A drain failed", e);
      stopped = "it failed here: " + e.getClass().getSimpleName();
    }
    if (drain.cancelled) {
      server.takesDrains(true);
      stopped = stopped == null ? null : "it was cancelled";
    }
    counters.count(stopped == null ? MoveCount.MOVE : MoveCount.MOVE_STOPPED);
    end(drain, drain.ledger.report(stopped, cache.position().sequence()));
  }

  private void end(Drain drain, MoveReport report) {
    LOG.info(
        "Drain {} is over: {} chunks, {}, to {}{}",
        report.id(),
        report.chunks(),
        report.outcomes(),
        report.targets(),
        report.stopped() == null ? "" : ", since " + report.stopped());
    last = report;
    underWay.set(null);
    drain.end.complete(report);
  }

  /** Whether this agent is going; null as long as it was not told to, or a drain was cancelled. */
  public @Nullable DrainState state() {
    if (underWay.get() != null) {
      return DrainState.DRAINING;
    }
    return server.takesDrains() ? null : DrainState.DRAINED;
  }

  /** How far the drain is that is under way. */
  public Optional<MoveReport> underWay() {
    return Optional.ofNullable(underWay.get())
        .map(drain -> drain.ledger.report(null, cache.position().sequence()));
  }

  /** The last drain that is over. */
  public Optional<MoveReport> last() {
    return Optional.ofNullable(last);
  }

  /** How far it is, or how it ended; empty unless it is under way, or was the last. */
  public Optional<MoveReport> find(String id) {
    return underWay()
        .filter(report -> report.id().equals(id))
        .or(() -> last().filter(report -> report.id().equals(id)));
  }

  /** Ends it if it is under way; how far it is, or how it ended. Doesn't wait for its end. */
  public Optional<MoveReport> cancel(String id) {
    Drain drain = underWay.get();
    if (drain != null && drain.ledger.id().equals(id)) {
      drain.cancelled = true;
      drain.thread.interrupt();
    }
    return find(id);
  }

  /** Ends the drain that is under way; its report tells so. */
  @Override
  public void close() {
    closing = true;
    Drain drain = underWay.get();
    if (drain == null) {
      return;
    }
    drain.thread.interrupt();
    try {
      if (!drain.thread.join(CLOSE)) {
        LOG.warn("A drain is still at work after {}", CLOSE);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
