package io.kvmesh.agent.drain;

import com.google.errorprone.annotations.concurrent.GuardedBy;
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
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands the hot chunks of this agent over to workers that stay, in the order in which the policy
 * would keep them; one drain at a time. This agent serves on, its engine and its peers, and keeps
 * what they store; what is stored while a drain runs is left to the next. From the first drain on
 * it takes nothing from others that are drained, until a drain is cancelled or it is told that it
 * stays. Any thread.
 */
public final class Drainer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Drainer.class);

  private static final Duration CLOSE = Duration.ofSeconds(5);

  /** A drain that is under way. */
  private static final class Drain {
    private final MoveLedger ledger;
    private final CompletableFuture<MoveReport> end = new CompletableFuture<>();
    private final Thread thread;
    private boolean cancelled;

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
  private final Object lock = new Object();

  /** It, its {@code cancelled} and what the server takes change together. */
  @GuardedBy("lock")
  private @Nullable Drain running;

  private volatile @Nullable MoveReport last;
  private volatile boolean ending;
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
    synchronized (lock) {
      if (closing || running != null) {
        counters.count(MoveCount.MOVE_REFUSED);
        return Optional.empty();
      }
      running = drain;
      server.takesDrains(false);
      drain.thread.start();
    }
    return Optional.of(drain.end);
  }

  private @Nullable Drain running() {
    synchronized (lock) {
      return running;
    }
  }

  /**
   * Drains, and waits for it: the last thing before this agent goes. A drain or a move that is
   * under way counts: it is waited for, within the same time. From here on it can't be told to
   * stay.
   *
   * @return empty if there was no time left, or the caller was interrupted
   */
  public Optional<MoveReport> drain(String id, Duration atMost) {
    ending = true;
    long end = nanoTime.getAsLong() + atMost.toNanos();
    try {
      Drain before = running();
      boolean idle = before == null || before.thread.join(atMost);
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
    String stopped;
    try {
      DrainRun run = new DrainRun(mover, advisor, order, drain.ledger, nanoTime);
      stopped = run.run(hottestFirst());
    } catch (RuntimeException e) {
      LOG.error("A drain failed", e);
      stopped = "it failed here: " + e.getClass().getSimpleName();
    }
    end(drain, stopped);
  }

  private void end(Drain drain, @Nullable String reason) {
    MoveReport report;
    synchronized (lock) {
      String stopped = drain.cancelled && reason != null ? "it was cancelled" : reason;
      counters.count(stopped == null ? MoveCount.MOVE : MoveCount.MOVE_STOPPED);
      report = drain.ledger.report(stopped, cache.position().sequence());
      last = report;
      running = null;
      server.takesDrains(drain.cancelled);
    }
    LOG.info(
        "Drain {} is over: {} chunks, {}, to {}{}",
        report.id(),
        report.chunks(),
        report.outcomes(),
        report.targets(),
        report.stopped() == null ? "" : ", since " + report.stopped());
    drain.end.complete(report);
  }

  /** Whether this agent is going; null as long as it was not told to, or since it stays. */
  public @Nullable DrainState state() {
    synchronized (lock) {
      if (running != null) {
        return DrainState.DRAINING;
      }
      return server.takesDrains() ? null : DrainState.DRAINED;
    }
  }

  /**
   * This agent stays after all: ends the drain that is under way, whoever ordered it, and takes
   * from others that are drained again. What was handed over stays where it is.
   *
   * @return completes once it is so, with the report of the drain that this ended, or one of no
   *     chunks where none was under way; empty if this agent is ending, which needs its drain
   */
  public Optional<CompletableFuture<MoveReport>> undrain() {
    if (ending || closing) {
      return Optional.empty();
    }
    synchronized (lock) {
      if (running == null) {
        server.takesDrains(true);
        return Optional.of(CompletableFuture.completedFuture(nothing()));
      }
      cancel(running);
      return Optional.of(running.end);
    }
  }

  private MoveReport nothing() {
    long sequence = cache.position().sequence();
    return new MoveReport("", List.of(), 0, Map.of(), 0, 0, List.of(), List.of(), null, sequence);
  }

  @GuardedBy("lock")
  private void cancel(Drain drain) {
    drain.cancelled = true;
    drain.thread.interrupt();
  }

  /** How far the drain is that is under way. */
  public Optional<MoveReport> underWay() {
    return Optional.ofNullable(running())
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
    synchronized (lock) {
      if (running != null && running.ledger.id().equals(id)) {
        cancel(running);
      }
    }
    return find(id);
  }

  /** Ends the drain that is under way; its report tells so. */
  @Override
  public void close() {
    closing = true;
    Drain drain = running();
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
