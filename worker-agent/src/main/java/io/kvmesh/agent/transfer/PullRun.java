package io.kvmesh.agent.transfer;

import io.kvmesh.common.count.Counters;
import io.kvmesh.common.wire.peer.P2PErrorMsg;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Fills one reservation from one peer: several requests side by side, their replies taken in key
 * order, up to the first chunk that doesn't come. One thread, used once.
 */
final class PullRun {

  /** One request: the wanted chunks from {@code from} on, before {@code to}. */
  private static final class Part {
    private final int from;
    private final int to;
    private final long bytes;
    private int attempts = 1;
    private CompletableFuture<GetAnswer> answer;

    private Part(int from, int to, long bytes, CompletableFuture<GetAnswer> answer) {
      this.from = from;
      this.to = to;
      this.bytes = bytes;
      this.answer = answer;
    }
  }

  private final PeerClient client;
  private final String peer;
  private final Reservation room;
  private final Deadline deadline;
  private final PullLimits limits;
  private final Counters<PullCount> counters;
  private final int chunksPerPart;
  private final Deque<Part> window = new ArrayDeque<>();
  private int asked;
  private int pulled;

  PullRun(
      PeerClient client,
      String peer,
      Reservation room,
      Deadline deadline,
      PullLimits limits,
      Counters<PullCount> counters) {
    this.client = client;
    this.peer = peer;
    this.room = room;
    this.deadline = deadline;
    this.limits = limits;
    this.counters = counters;
    this.chunksPerPart = (int) Math.max(1, limits.getBytes() / client.self().pageBytes());
  }

  PullOutcome run() throws InterruptedException {
    try {
      while (pulled < room.wanted()) {
        widen();
        Part part = window.peek();
        if (part == null) {
          return new PullOutcome.TimedOut(whole());
        }
        IntFunction<PullOutcome> stop = settle(part);
        finish(window.remove());
        if (stop != null) {
          return stop.apply(whole());
        }
      }
      return room.isWhole() ? new PullOutcome.Hit(whole()) : new PullOutcome.NoRoom(whole());
    } finally {
      window.forEach(this::finish);
    }
  }

  private int whole() {
    return room.prefix(pulled);
  }

  /** Asks for as much as may be under way; waits for room only if nothing is. */
  private void widen() throws InterruptedException {
    while (asked < room.wanted()) {
      int to = Math.min(room.wanted(), asked + chunksPerPart);
      long bytes = (long) (to - asked) * client.self().pageBytes();
      boolean may =
          window.isEmpty()
              ? client.budget().take(peer, bytes, deadline)
              : client.budget().tryTake(peer, bytes);
      if (!may) {
        return;
      }
      window.add(new Part(asked, to, bytes, send(asked, to)));
      asked = to;
    }
  }

  private CompletableFuture<GetAnswer> send(int from, int to) {
    return client.get(peer, room.wantedKeys(from, to), deadline);
  }

  private void finish(Part part) {
    if (!part.answer.cancel(false)) {
      part.answer.resultNow().release();
    }
    client.budget().giveBack(peer, part.bytes);
  }

  /** Takes a part's answer; null if all of it came, else how the pull ends. */
  private @Nullable IntFunction<PullOutcome> settle(Part part) throws InterruptedException {
    while (true) {
      GetAnswer answer = await(part.answer);
      if (!mayRetry(answer) || part.attempts >= limits.maxAttempts() || deadline.passed()) {
        return conclude(part, answer);
      }
      counters.count(PullCount.RETRY);
      part.attempts++;
      part.answer = send(part.from, part.to);
    }
  }

  private static boolean mayRetry(GetAnswer answer) {
    return answer instanceof GetAnswer.Lost
        || (answer instanceof GetAnswer.Refused refused
            && refused.code() == P2PErrorMsg.NOT_INITIALIZED);
  }

  private @Nullable IntFunction<PullOutcome> conclude(Part part, GetAnswer answer) {
    return switch (answer) {
      case GetAnswer.Delivered delivered -> accept(part, delivered.delivery());
      case GetAnswer.Refused refused -> n -> new PullOutcome.Rejected(n, refused.code());
      case GetAnswer.Lost lost -> n -> new PullOutcome.Unavailable(n, lost.reason());
      case GetAnswer.Unreachable none -> n -> new PullOutcome.Unavailable(n, none.reason());
      case GetAnswer.Garbled garbled -> n -> new PullOutcome.Broken(n, garbled.reason());
      case GetAnswer.Expired expired -> PullOutcome.TimedOut::new;
    };
  }

  private @Nullable IntFunction<PullOutcome> accept(Part part, Delivery delivery) {
    int chunks = delivery.chunks();
    for (int i = 0; i < chunks; i++) {
      int bytes = delivery.length();
      Reservation.Fault fault = room.fill(part.from + i, delivery);
      if (fault == Reservation.Fault.UNWANTED) {
        return PullRun::asFarAs;
      }
      if (fault == Reservation.Fault.NO_ROOM) {
        return PullOutcome.NoRoom::new;
      }
      if (fault == Reservation.Fault.HARMED) {
        counters.count(PullCount.HARMED_CHUNK);
        client.blame(peer);
        return n -> new PullOutcome.Broken(n, "checksum");
      }
      pulled++;
      counters.count(PullCount.CHUNK);
      counters.add(PullCount.BYTE, bytes);
    }
    if (part.from + chunks == part.to) {
      return null;
    }
    return PullRun::asFarAs;
  }

  private static PullOutcome asFarAs(int whole) {
    return whole == 0 ? new PullOutcome.Miss() : new PullOutcome.Hit(whole);
  }

  private GetAnswer await(CompletableFuture<GetAnswer> answer) throws InterruptedException {
    try {
      return answer.get(Math.max(0, deadline.remainingNanos()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return new GetAnswer.Expired();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }
}
