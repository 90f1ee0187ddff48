package io.kvmesh.agent.drain;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.directory.DrainAdvisor;
import io.kvmesh.agent.transfer.ChunkMover;
import io.kvmesh.agent.transfer.MoveCount;
import io.kvmesh.agent.transfer.PeerServer;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands the hot chunks of this agent over to workers that stay, in the order in which the policy
 * would keep them; one drain at a time. What is stored while it runs is not handed over: the agent
 * serves on, its engine and its peers, but takes nothing from others that are drained. Any thread.
 */
public final class Drainer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Drainer.class);

  private static final Duration CLOSE = Duration.ofSeconds(5);

  private record Drain(DrainLedger ledger, Thread thread) {}

  private final ChunkCache cache;
  private final ChunkMover mover;
  private final DrainAdvisor advisor;
  private final PeerServer server;
  private final Counters<MoveCount> counters;
  private final LongSupplier nanoTime;
  private final AtomicReference<@Nullable Drain> underWay = new AtomicReference<>();
  private volatile @Nullable DrainReport last;
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
   * @param whenOver gets its report, on that thread
   * @return false if another is under way, or this agent is closing
   */
  public boolean begin(String id, Duration atMost, Consumer<DrainReport> whenOver) {
    List<ChunkKey> keys = hottestFirst();
    DrainLedger ledger = new DrainLedger(id, keys.size(), counters);
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .name("drain")
            .unstarted(() -> whenOver.accept(run(ledger, keys, atMost)));
    if (closing || !underWay.compareAndSet(null, new Drain(ledger, thread))) {
      counters.count(MoveCount.MOVE_REFUSED);
      return false;
    }
    thread.start();
    return true;
  }

  /**
   * Drains, and waits for it: the last thing before this agent goes. A drain or a move that is
   * under way counts: it is waited for, within the same time.
   *
   * @return empty if there was no time left, or the caller was interrupted
   */
  public Optional<DrainReport> drain(String id, Duration atMost) {
    long end = nanoTime.getAsLong() + atMost.toNanos();
    try {
      Drain running = underWay.get();
      boolean idle = running == null || running.thread().join(atMost);
      if (!idle || !mover.awaitIdle(left(end))) {
        LOG.warn("Nothing more is handed over: another drain or move took {}", atMost);
        return Optional.empty();
      }
      if (begin(id, left(end), report -> {})) {
        Drain mine = underWay.get();
        if (mine != null) {
          mine.thread().join();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return last().filter(report -> report.id().equals(id));
  }

  private Duration left(long endNanos) {
    return Duration.ofNanos(Math.max(1, endNanos - nanoTime.getAsLong()));
  }

  private List<ChunkKey> hottestFirst() {
    return cache.snapshots().keysInPolicyOrder(Integer.MAX_VALUE).reversed();
  }

  private DrainReport run(DrainLedger ledger, List<ChunkKey> keys, Duration atMost) {
    server.takesDrains(false);
    String stopped;
    try {
      stopped = new DrainRun(mover, advisor, keys, ledger, atMost, nanoTime).run();
    } catch (RuntimeException e) {
      LOG.error("A drain failed", e);
      stopped = "it failed here: " + e.getClass().getSimpleName();
    } finally {
      server.takesDrains(true);
    }
    counters.count(stopped == null ? MoveCount.MOVE : MoveCount.MOVE_STOPPED);
    DrainReport report = ledger.report(stopped, cache.position().sequence());
    LOG.info(
        "Drain {} is over: {} chunks, {}, to {}{}",
        report.id(),
        report.chunks(),
        report.outcomes(),
        report.targets(),
        stopped == null ? "" : ", since " + stopped);
    last = report;
    underWay.set(null);
    return report;
  }

  /** How far the drain is that is under way; what the present target got comes when it is done. */
  public Optional<DrainReport> underWay() {
    return Optional.ofNullable(underWay.get())
        .map(drain -> drain.ledger().report(null, cache.position().sequence()));
  }

  /** The last drain that is over. */
  public Optional<DrainReport> last() {
    return Optional.ofNullable(last);
  }

  /** Ends the drain that is under way; its report tells so. */
  @Override
  public void close() {
    closing = true;
    Drain drain = underWay.get();
    if (drain == null) {
      return;
    }
    drain.thread().interrupt();
    try {
      if (!drain.thread().join(CLOSE)) {
        LOG.warn("A drain is still at work after {}", CLOSE);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
