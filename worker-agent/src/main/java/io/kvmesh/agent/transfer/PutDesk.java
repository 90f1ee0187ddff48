package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.wire.Message;
import io.kvmesh.common.wire.peer.BatchedLookupAndPutMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndPutRetMsg;
import io.kvmesh.common.wire.peer.BatchedPutDoneMsg;
import io.kvmesh.common.wire.peer.P2PErrorMsg;
import io.kvmesh.common.wire.peer.PutOutcome;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the chunks that peers push, on threads of its own: it asks the sender for those that aren't
 * here, so that what comes is bounded, checked and counted like any pull. Each push gets one reply.
 *
 * <p>A sender of ours is told of a fault by an error, one that speaks LMCache's messages alone by a
 * count of 0, since that is all that it understands.
 */
final class PutDesk implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(PutDesk.class);

  private static final int THREADS = 4;
  private static final Duration CLOSE = Duration.ofSeconds(5);

  private final LocalPeer self;
  private final ChunkCache cache;
  private final KnownPeers peers;
  private final PeerClient client;
  private final PutLimits limits;
  private final Counters<ServerCount> counters;
  private final LongSupplier nanoTime;
  private final MoveHolds holds;
  private final ThreadPoolExecutor threads;
  private volatile boolean takesDrains = true;

  PutDesk(
      LocalPeer self,
      ChunkCache cache,
      KnownPeers peers,
      PeerClient client,
      PutLimits limits,
      Counters<ServerCount> counters,
      LongSupplier nanoTime) {
    this.self = self;
    this.cache = cache;
    this.peers = peers;
    this.client = client;
    this.limits = limits;
    this.counters = counters;
    this.nanoTime = nanoTime;
    long chunks = cache.stats().mostPages();
    this.holds =
        new MoveHolds(
            (int) (chunks * limits.maxHeldPercent() / 100),
            (int) (chunks * limits.maxDisplacedPercent() / 100),
            limits.hold(),
            nanoTime);
    this.threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(limits.maxWaiting()),
            Thread.ofPlatform().daemon().name("peer-put-", 0).factory());
  }

  /**
   * Takes a push. The thread of the door.
   *
   * @param reply gets the answer, now or later on another thread
   */
  void take(BatchedLookupAndPutMsg put, Consumer<Message> reply) {
    boolean ours = PutOrder.isOurs(put);
    String unknown = whyUnknown(put);
    if (unknown != null) {
      refuse(ServerCount.PUT_REFUSED, ours, P2PErrorMsg.NOT_INITIALIZED, unknown, reply);
      return;
    }
    try {
      PutOrder order = PutOrder.of(put, Deadline.after(timeFor(put), nanoTime));
      threads.execute(() -> reply.accept(answer(order)));
    } catch (IllegalArgumentException e) {
      String rule = String.valueOf(e.getMessage());
      refuse(ServerCount.PUT_REFUSED, ours, P2PErrorMsg.UNKNOWN_MESSAGE, rule, reply);
    } catch (RejectedExecutionException e) {
      String why = "too many pushes are at work";
      refuse(ServerCount.PUT_OVERLOADED, ours, P2PErrorMsg.OVERLOADED, why, reply);
    }
  }

  /** Whether something is kept of what peers hand over that are going. */
  void takesDrains(boolean takes) {
    takesDrains = takes;
  }

  /** Whether it is. */
  boolean takesDrains() {
    return takesDrains;
  }

  /** Ends what is held for a move. */
  void end(BatchedPutDoneMsg done) {
    boolean ended = holds.end(new MoveHolds.Id(done.senderId(), done.moveId()));
    counters.count(ended ? ServerCount.HOLD_DONE : ServerCount.UNKNOWN_HOLD);
  }

  /** Ends what has been held for long enough. */
  void expire() {
    int expired = holds.expire();
    counters.add(ServerCount.HOLD_EXPIRED, expired);
  }

  /** Chunks that are held for moves. */
  int heldChunks() {
    return holds.chunks();
  }

  private @Nullable String whyUnknown(BatchedLookupAndPutMsg put) {
    String unknown = peers.whyUnknown(put.senderId(), put.epoch(), put.peerEpoch());
    return unknown == null && !self.offers() ? "a later life of this worker was seen" : unknown;
  }

  private Duration timeFor(BatchedLookupAndPutMsg put) {
    Long millis = put.deadlineMillis();
    long longest = limits.longest().toMillis();
    return Duration.ofMillis(millis == null ? longest : Math.clamp(millis, 0, longest));
  }

  private void refuse(
      ServerCount count, boolean ours, int code, String why, Consumer<Message> reply) {
    counters.count(count);
    LOG.debug("A push is refused: {}", why);
    reply.accept(fault(ours, code, why));
  }

  private static Message fault(boolean ours, int code, String why) {
    return ours ? new P2PErrorMsg(code, why) : new BatchedLookupAndPutRetMsg(0);
  }

  private Message answer(PutOrder order) {
    try {
      boolean futile = order.drain() && !takesDrains;
      return receipt(
          order,
          futile ? Collections.nCopies(order.keys().size(), PutOutcome.NOT_KEPT) : read(order));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return fault(order.ours(), P2PErrorMsg.SERVER_ERROR, "this worker is closing");
    } catch (RuntimeException e) {
      counters.count(ServerCount.SERVER_ERROR);
      LOG.error("A push of {} failed", order.sender(), e);
      return fault(order.ours(), P2PErrorMsg.SERVER_ERROR, e.getClass().getSimpleName());
    }
  }

  private List<PutOutcome> read(PutOrder order) throws InterruptedException {
    MoveHolds.Id move = order.move();
    int keys = order.keys().size();
    int most = move == null ? keys : holds.reserve(keys);
    int mayDisplace = move == null || !order.drain() ? 0 : holds.reserveDisplaced(keys);
    ChunkLease lease = cache.newLease();
    PutRun run = new PutRun(cache, client, limits.reads(), counters, order, lease, mayDisplace);
    boolean held = false;
    try {
      List<PutOutcome> outcomes = run.run(most);
      if (move != null) {
        holds.keep(move, lease, most, run.displaced());
        held = true;
      }
      return outcomes;
    } finally {
      holds.giveBackDisplaced(mayDisplace - (held ? run.displaced() : 0));
      counters.add(ServerCount.CHUNK_DISPLACED, run.displaced());
      if (!held) {
        lease.close();
        holds.giveBack(move == null ? 0 : most);
      }
    }
  }

  private Message receipt(PutOrder order, List<PutOutcome> outcomes) {
    counters.count(ServerCount.PUT);
    if (outcomes.contains(PutOutcome.UNREADABLE) || outcomes.contains(PutOutcome.NOT_SENT)) {
      counters.count(ServerCount.PUT_UNREAD);
    }
    int read = (int) outcomes.stream().filter(PutOutcome.READ::equals).count();
    if (!order.ours()) {
      return new BatchedLookupAndPutRetMsg(read);
    }
    Long held = order.move() == null ? null : limits.hold().toMillis();
    return new BatchedLookupAndPutRetMsg(read, self.epoch().getAsLong(), outcomes, held);
  }

  /** Ends all pushes that are at work; each is still answered. */
  @Override
  public void close() {
    threads.shutdownNow();
    try {
      if (!threads.awaitTermination(CLOSE.toNanos(), TimeUnit.NANOSECONDS)) {
        LOG.warn("A push is still at work after {}", CLOSE);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    holds.endAll();
  }
}
