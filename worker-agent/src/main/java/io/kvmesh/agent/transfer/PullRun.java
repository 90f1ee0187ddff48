package io.kvmesh.agent.transfer;

import io.kvmesh.common.count.Counters;
import io.kvmesh.common.wire.peer.P2PErrorMsg;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Fills one reservation from one or more peers: several requests side by side, taken in as they are
 * answered, up to the first chunk that nobody gives. What one peer fails to deliver is asked of the
 * next. One thread, used once.
 *
 * <p>One deadline covers it all. While another peer could be asked, the silence of one is borne for
 * half of the time that was left when it was heard last; then it is given up.
 */
final class PullRun {

  /** One request: the wanted chunks from {@code from} on, before {@code to}. */
  private static final class Part {
    private final PullHolder holder;
    private final int connection;
    private final int from;
    private final int to;
    private final long bytes;
    private final long sentNanos;
    private final CompletableFuture<GetAnswer> answer;
    private volatile long answeredNanos;

    private Part(
        PullHolder holder,
        int from,
        int to,
        long bytes,
        long sentNanos,
        CompletableFuture<GetAnswer> answer) {
      this.holder = holder;
      this.connection = holder.connection();
      this.from = from;
      this.to = to;
      this.bytes = bytes;
      this.sentNanos = sentNanos;
      this.answer = answer;
    }
  }

  private final PeerClient client;
  private final Reservation room;
  private final Deadline deadline;
  private final PullLimits limits;
  private final Counters<PullCount> counters;
  private final LongSupplier nanoTime;
  private final PullShares shares;
  private final Set<Part> underWay = new HashSet<>();
  private final BlockingQueue<Part> answered = new LinkedBlockingQueue<>();
  private @Nullable IntFunction<PullOutcome> fault;

  PullRun(
      PeerClient client,
      List<PullSource> sources,
      Reservation room,
      Deadline deadline,
      PullLimits limits,
      Counters<PullCount> counters) {
    this.client = client;
    this.room = room;
    this.deadline = deadline;
    this.limits = limits;
    this.counters = counters;
    this.nanoTime = client.nanoTime();
    this.shares =
        new PullShares(
            sources.stream().map(this::holder).toList(),
            room.wanted(),
            client.self().pageBytes(),
            limits,
            client.speeds());
  }

  private PullHolder holder(PullSource source) {
    String peer = source.address();
    return new PullHolder(peer, room.wantedAmong(source.chunks()), client.mostChunks(peer, limits));
  }

  PullOutcome run() throws InterruptedException {
    try {
      while (room.visible() < shares.end()) {
        ask();
        if (underWay.isEmpty()) {
          break;
        }
        Part part = answered.poll(patienceNanos(), TimeUnit.NANOSECONDS);
        if (part != null) {
          settle(part);
        } else if (deadline.passed()) {
          return new PullOutcome.TimedOut(room.prefix());
        } else {
          giveUpTheSilent();
        }
      }
      return outcome();
    } finally {
      List.copyOf(underWay).forEach(this::finish);
    }
  }

  private PullOutcome outcome() {
    if (room.visible() == room.wanted()) {
      return room.isWhole()
          ? new PullOutcome.Hit(room.prefix())
          : new PullOutcome.NoRoom(room.prefix());
    }
    return fault == null ? asFarAs(room.prefix()) : fault.apply(room.prefix());
  }

  private static PullOutcome asFarAs(int whole) {
    return whole == 0 ? new PullOutcome.Miss() : new PullOutcome.Hit(whole);
  }

  /** Asks for as much as may be under way; waits for room only if nothing is. */
  private void ask() throws InterruptedException {
    while (shares.hasMore()) {
      List<PullShares.Share> next = shares.next();
      PullShares.Share taken = take(next);
      if (taken != null) {
        send(taken);
      } else if (next.isEmpty() || !underWay.isEmpty()) {
        return;
      }
    }
  }

  /** Takes bytes of the budget for the first share that they are free for. */
  private PullShares.@Nullable Share take(List<PullShares.Share> candidates)
      throws InterruptedException {
    for (PullShares.Share share : candidates) {
      if (client.budget().tryTake(share.holder().address(), share.bytes())) {
        return share;
      }
    }
    if (candidates.isEmpty() || !underWay.isEmpty()) {
      return null;
    }
    PullShares.Share best = candidates.getFirst();
    boolean last = !shares.hasOther(best.holder(), best.from());
    if (client
        .budget()
        .take(best.holder().address(), best.bytes(), last ? deadline : deadline.half())) {
      return best;
    }
    fail(best.holder(), PullOutcome.TimedOut::new);
    return null;
  }

  private void send(PullShares.Share share) {
    shares.take(share);
    PullHolder holder = share.holder();
    long now = nanoTime.getAsLong();
    holder.asked(share.bytes(), now, deadline.remainingNanos());
    Part part =
        new Part(
            holder,
            share.from(),
            share.to(),
            share.bytes(),
            now,
            client.get(holder.address(), room.wantedKeys(share.from(), share.to()), deadline));
    underWay.add(part);
    var _ =
        part.answer.whenComplete(
            (answer, failure) -> {
              part.answeredNanos = nanoTime.getAsLong();
              answered.add(part);
            });
  }

  private void finish(Part part) {
    underWay.remove(part);
    part.holder.ended(part.bytes);
    if (!part.answer.cancel(false)) {
      part.answer.resultNow().release();
    }
    client.budget().giveBack(part.holder.address(), part.bytes);
  }

  /** How long to wait for an answer, at most. */
  private long patienceNanos() {
    long left = deadline.remainingNanos();
    for (Part part : underWay) {
      if (shares.hasOther(part.holder, part.from)) {
        left = Math.min(left, part.holder.patienceNanos(deadline.remainingNanos()));
      }
    }
    return Math.max(0, left);
  }

  private void giveUpTheSilent() {
    for (Part part : List.copyOf(underWay)) {
      PullHolder holder = part.holder;
      if (underWay.contains(part)
          && shares.hasOther(holder, part.from)
          && holder.patienceNanos(deadline.remainingNanos()) <= 0) {
        counters.count(PullCount.SILENT);
        client.gaveUp(holder.address(), holder.heardNanos());
        fail(holder, PullOutcome.TimedOut::new);
        cancelAllOf(holder);
      }
    }
  }

  private void cancelAllOf(PullHolder holder) {
    for (Part part : List.copyOf(underWay)) {
      if (part.holder.equals(holder)) {
        finish(part);
        askAgain(holder, part.from, part.to);
      }
    }
  }

  private void settle(Part part) {
    if (!underWay.contains(part)) {
      return;
    }
    int whole = take(part, part.answer.resultNow());
    finish(part);
    if (part.from + whole < part.to) {
      askAgain(part.holder, part.from + whole, part.to);
    }
    if (!room.show()) {
      stop(room.visible(), PullOutcome.NoRoom::new);
    }
    cancelTheUseless();
  }

  private void cancelTheUseless() {
    for (Part part : List.copyOf(underWay)) {
      if (part.from >= shares.end()) {
        finish(part);
      }
    }
  }

  private void askAgain(PullHolder of, int from, int to) {
    if (shares.hasOther(of, from)) {
      counters.count(PullCount.MOVED_ON);
    } else if (of.reaches(from)) {
      counters.count(PullCount.RETRY);
    }
    shares.putBack(from, to);
  }

  private void fail(PullHolder holder, IntFunction<PullOutcome> outcome) {
    holder.giveUp();
    fault = outcome;
  }

  /** Nothing from this wanted chunk on can be had. */
  private void stop(int which, IntFunction<PullOutcome> outcome) {
    shares.endAt(which);
    fault = outcome;
  }

  /** Takes an answer; how many of its chunks came. */
  private int take(Part part, GetAnswer answer) {
    PullHolder holder = part.holder;
    switch (answer) {
      case GetAnswer.Delivered delivered -> {
        return accept(part, delivered.delivery());
      }
      case GetAnswer.Refused(int code, var _) when code == P2PErrorMsg.NOT_INITIALIZED ->
          disconnected(part, n -> new PullOutcome.Rejected(n, code));
      case GetAnswer.Lost lost ->
          disconnected(part, n -> new PullOutcome.Unavailable(n, lost.reason()));
      case GetAnswer.Refused(int code, var _) when code == P2PErrorMsg.OVERLOADED ->
          fail(holder, PullOutcome.Overloaded::new);
      case GetAnswer.Refused(int code, var _) ->
          fail(holder, n -> new PullOutcome.Rejected(n, code));
      case GetAnswer.Unreachable none ->
          fail(holder, n -> new PullOutcome.Unavailable(n, none.reason()));
      case GetAnswer.Garbled garbled ->
          fail(holder, n -> new PullOutcome.Broken(n, garbled.reason()));
      case GetAnswer.Expired expired -> fail(holder, PullOutcome.TimedOut::new);
    }
    return 0;
  }

  private void disconnected(Part part, IntFunction<PullOutcome> outcome) {
    if (part.holder.failed(part.connection)) {
      fault = outcome;
      if (part.holder.faults() >= limits.maxAttempts()) {
        part.holder.giveUp();
      }
    }
  }

  private int accept(Part part, Delivery delivery) {
    PullHolder holder = part.holder;
    long since = Math.max(part.sentNanos, holder.heardNanos());
    holder.heard(part.answeredNanos, deadline.remainingNanos());
    Reservation.Filled filled = room.fill(part.from, delivery, client.helpers());
    int chunks = filled.chunks();
    Reservation.Fault fault = filled.fault();
    if (fault != null) {
      refuse(holder, part.from + chunks, fault);
    }
    long bytes = delivery.bytes(chunks);
    counters.add(PullCount.CHUNK, chunks);
    counters.add(PullCount.BYTE, bytes);
    client.speeds().delivered(holder.address(), bytes, part.answeredNanos - since);
    if (chunks > 0) {
      holder.delivered();
    }
    // A large request may be cut by what the owner lends at once.
    boolean all = chunks < limits.chunksAtOnce(client.self().pageBytes());
    if (all && chunks == delivery.chunks() && part.from + chunks < part.to) {
      lacks(holder, part.from + chunks);
    }
    return chunks;
  }

  private void lacks(PullHolder holder, int which) {
    holder.lacks(which);
    fault = PullRun::asFarAs;
  }

  /** The holder's chunk isn't kept. */
  private void refuse(PullHolder holder, int which, Reservation.Fault why) {
    switch (why) {
      case UNWANTED -> {
        counters.count(PullCount.UNWANTED_CHUNK);
        lacks(holder, which);
      }
      case CHANGED -> lacks(holder, which);
      case HARMED -> {
        counters.count(PullCount.HARMED_CHUNK);
        client.blame(holder.address(), room.wantedKey(which));
        fail(holder, n -> new PullOutcome.Broken(n, "checksum"));
      }
      case MALFORMED -> {
        counters.count(PullCount.MALFORMED_CHUNK);
        client.blame(holder.address(), room.wantedKey(which));
        fail(holder, n -> new PullOutcome.Broken(n, "compression"));
      }
      case NO_ROOM -> stop(which, PullOutcome.NoRoom::new);
    }
  }
}
