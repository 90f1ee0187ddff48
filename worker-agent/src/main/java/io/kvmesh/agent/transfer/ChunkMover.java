package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import java.security.SecureRandom;
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
 * Moves chunks of this agent to another, or copies them there; one move at a time, on a thread of
 * its own. Any thread may ask.
 */
public final class ChunkMover implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ChunkMover.class);

  private static final Duration CLOSE = Duration.ofSeconds(5);

  private record Move(MoveRun run, Thread thread) {}

  private final ChunkCache cache;
  private final PeerClient client;
  private final MoveLimits limits;
  private final Counters<MoveCount> counters;
  private final LongSupplier nanoTime;
  private final SecureRandom moveIds = new SecureRandom();
  private final AtomicReference<@Nullable Move> underWay = new AtomicReference<>();
  private volatile @Nullable MoveReport last;
  private volatile boolean closing;

  /** Assigns only. */
  public ChunkMover(
      ChunkCache cache,
      PeerClient client,
      MoveLimits limits,
      Counters<MoveCount> counters,
      LongSupplier nanoTime) {
    this.cache = cache;
    this.client = client;
    this.limits = limits;
    this.counters = counters;
    this.nanoTime = nanoTime;
  }

  /**
   * Begins a move.
   *
   * @param whenOver gets its report, on the move's thread
   * @return false if another is under way, or this agent is closing
   */
  public boolean begin(MoveOrder order, Consumer<MoveReport> whenOver) {
    // Looked at first: naming all that is resident takes long.
    if (closing || underWay.get() != null || !start(newMove(order), whenOver)) {
      counters.count(MoveCount.MOVE_REFUSED);
      return false;
    }
    return true;
  }

  private boolean start(MoveRun run, Consumer<MoveReport> whenOver) {
    Thread thread =
        Thread.ofPlatform().daemon().name("chunk-mover").unstarted(() -> run(run, whenOver));
    if (closing || !underWay.compareAndSet(null, new Move(run, thread))) {
      return false;
    }
    thread.start();
    return true;
  }

  /**
   * Hands chunks over to a worker that stays, on the caller's thread; they stay here, too.
   *
   * @param drain gets what is settled; what this target doesn't take another may
   * @param keys in the order in which they are to go
   * @param bytes that may be at targets when it ends
   * @return empty if a move is under way, or this agent is closing
   */
  public Optional<MoveReport> handOver(
      MoveLedger drain, String target, List<ChunkKey> keys, Duration atMost, long bytes) {
    MoveLimits within =
        new MoveLimits(
            atMost,
            limits.batchDeadline(),
            limits.batches(),
            limits.holders(),
            bytes - drain.bytes());
    MoveRun run =
        newRun(
            MoveOrder.ofDrain(drain.id(), target, keys),
            within,
            new Counters<>(MoveCount.class),
            drain.part(target));
    Move move = new Move(run, Thread.currentThread());
    if (closing || !underWay.compareAndSet(null, move)) {
      return Optional.empty();
    }
    try {
      return Optional.of(run.run());
    } finally {
      underWay.set(null);
      run.letGo();
    }
  }

  /** How long a move may take. */
  public Duration longest() {
    return limits.deadline();
  }

  /** Waits for the move that is under way, as long as given; answers whether none is any more. */
  public boolean awaitIdle(Duration atMost) throws InterruptedException {
    Move move = underWay.get();
    return move == null || move.thread() == Thread.currentThread() || move.thread().join(atMost);
  }

  private MoveRun newMove(MoveOrder order) {
    return newRun(order, limits, counters, MoveLedger.ofMove(order, counters));
  }

  private MoveRun newRun(
      MoveOrder order, MoveLimits within, Counters<MoveCount> counts, MoveLedger ledger) {
    List<ChunkKey> keys = order.keys();
    return new MoveRun(
        cache,
        client,
        within,
        counts,
        order,
        moveIds.nextLong(),
        // What would go last is worth most where the target has no room for all.
        keys == null ? cache.snapshots().keysInPolicyOrder(Integer.MAX_VALUE).reversed() : keys,
        ledger,
        nanoTime);
  }

  private void run(MoveRun run, Consumer<MoveReport> whenOver) {
    MoveReport report;
    try {
      report = run.run();
    } catch (RuntimeException e) {
      LOG.error("A move failed", e);
      report = run.failed(e.getClass().getSimpleName());
    }
    LOG.info(
        "Move {} to {} is over: {} of {} chunks, {}{}",
        report.id(),
        report.targets(),
        report.done(),
        report.chunks(),
        report.outcomes(),
        report.stopped() == null ? "" : ", since " + report.stopped());
    last = report;
    underWay.set(null);
    // Not before: while a move is under way, the target holds what came.
    run.letGo();
    whenOver.accept(report);
  }

  /** How far the move is that is under way. */
  public Optional<MoveReport> underWay() {
    return Optional.ofNullable(underWay.get()).map(move -> move.run().progress());
  }

  /** The last move that is over. */
  public Optional<MoveReport> last() {
    return Optional.ofNullable(last);
  }

  /** Ends the move that is under way; its report tells so. */
  @Override
  public void close() {
    closing = true;
    Move move = underWay.get();
    if (move == null) {
      return;
    }
    move.thread().interrupt();
    try {
      if (!move.thread().join(CLOSE)) {
        LOG.warn("A move is still at work after {}", CLOSE);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
