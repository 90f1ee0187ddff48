package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.control.MoveOutcome;
import io.kvmesh.common.wire.peer.PutOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One move: batch by batch, chunks are held here, pushed, and removed on the target's receipt. At
 * every moment each chunk is here or held at the target: the target promises with each receipt to
 * keep all of the move for a time, which is reckoned from before the push was sent, and after it
 * nothing is removed here. One thread, used once.
 */
final class MoveRun {

  private static final String NO_ROOM = "the target has no room";
  private static final String KEEPS_NONE =
      "the target takes none: it is drained itself, or keeps no chunks";
  private static final String CLOSING = "this worker is closing";
  private static final String ENOUGH = "as many bytes as were allowed are there";

  /** A chunk of the batch that is being pushed, or of those that wait to be removed. */
  private record Chunk(ChunkKey key, int tokens, int bytes) {}

  private final ChunkCache cache;
  private final PeerClient client;
  private final MoveLimits limits;
  private final Counters<MoveCount> counters;
  private final MoveOrder order;
  private final long moveId;
  private final List<ChunkKey> keys;
  private final MoveLedger ledger;
  private final LongSupplier nanoTime;
  private final Deadline deadline;

  /** At the target, held there, and still here since somebody held them when they were due. */
  private List<Chunk> stragglers = new ArrayList<>();

  /** In which the target has given its receipts; null before the first. */
  private @Nullable Long targetsLife;

  /** Until when the target keeps what it has. */
  private long promisedUntil;

  private int next;

  /**
   * @param keys of the chunks, in the order in which they are to go
   */
  MoveRun(
      ChunkCache cache,
      PeerClient client,
      MoveLimits limits,
      Counters<MoveCount> counters,
      MoveOrder order,
      long moveId,
      List<ChunkKey> keys,
      MoveLedger ledger,
      LongSupplier nanoTime) {
    this.cache = cache;
    this.client = client;
    this.limits = limits;
    this.counters = counters;
    this.order = order;
    this.moveId = moveId;
    this.keys = keys;
    this.nanoTime = nanoTime;
    this.ledger = ledger;
    ledger.expect(keys.size());
    this.deadline = Deadline.after(limits.deadline(), nanoTime);
    this.promisedUntil = nanoTime.getAsLong();
  }

  /** How far it is. Any thread. */
  MoveReport progress() {
    return report(null);
  }

  /** What is known of it after it failed. */
  MoveReport failed(String reason) {
    counters.count(MoveCount.MOVE_STOPPED);
    return report("it failed here: " + reason);
  }

  /** Tells the target, once the move is over, that it need hold nothing of it any more. */
  void letGo() {
    client.endMove(order.target(), moveId);
  }

  /** Makes the move; each chunk is in the report afterwards. */
  MoveReport run() {
    String stopped = pushAll();
    removeStragglers();
    doubtUnlessConfirmed();
    if (stopped == null && Thread.currentThread().isInterrupted()) {
      stopped = CLOSING;
    }
    enter(stragglers, MoveOutcome.IN_USE);
    keys.subList(next, keys.size()).forEach(key -> ledger.enter(key, MoveOutcome.UNTRIED));
    counters.count(stopped == null ? MoveCount.MOVE : MoveCount.MOVE_STOPPED);
    return report(stopped);
  }

  private MoveReport report(@Nullable String stopped) {
    return ledger.report(stopped, cache.position().sequence());
  }

  /** Answers why not all was tried; null if all was. */
  private @Nullable String pushAll() {
    int most = limits.batches().chunksAtOnce(client.self().pageBytes());
    String stopped = null;
    while (next < keys.size() && stopped == null) {
      if (deadline.passed()) {
        return "the deadline has passed";
      }
      int fit = Math.min(most, chunksThatFit());
      if (fit == 0) {
        return ENOUGH;
      }
      List<ChunkKey> batch = keys.subList(next, Math.min(keys.size(), next + fit));
      next += batch.size();
      stopped = pushHeld(batch);
    }
    return stopped;
  }

  private int chunksThatFit() {
    long bytes = limits.bytes() - ledger.bytes();
    return Math.clamp(bytes / client.self().pageBytes(), 0, Integer.MAX_VALUE);
  }

  /** Pushes those of the keys that are here; answers why the move can't go on, null if it can. */
  private @Nullable String pushHeld(List<ChunkKey> batch) {
    String stopped = null;
    try (ChunkLease lease = cache.newLease()) {
      List<ChunkKey> held = cache.moves().hold(batch, lease);
      enterGone(batch, held);
      for (List<Chunk> chunks : cut(held, lease)) {
        if (stopped == null) {
          stopped = push(chunks);
        } else {
          enter(chunks, MoveOutcome.UNTRIED);
        }
      }
    }
    removeStragglers(Duration.ZERO);
    return stopped;
  }

  /** A part of a chunk may only be the last of a push. */
  private List<List<Chunk>> cut(List<ChunkKey> held, ChunkLease lease) {
    List<List<Chunk>> pushes = new ArrayList<>();
    List<Chunk> current = new ArrayList<>();
    for (int i = 0; i < held.size(); i++) {
      int tokens = lease.tokens(i);
      current.add(new Chunk(held.get(i), tokens, lease.bytes(i)));
      if (i == held.size() - 1 || tokens < client.self().chunkTokens()) {
        pushes.add(current);
        current = new ArrayList<>();
      }
    }
    return pushes;
  }

  private void enterGone(List<ChunkKey> batch, List<ChunkKey> held) {
    if (held.size() < batch.size()) {
      Set<ChunkKey> here = new HashSet<>(held);
      batch.stream()
          .filter(key -> !here.contains(key))
          .forEach(key -> ledger.enter(key, MoveOutcome.GONE));
    }
  }

  private @Nullable String push(List<Chunk> chunks) {
    long sent = nanoTime.getAsLong();
    try {
      PutAnswer answer = ask(chunks);
      for (int attempt = 1; mayRetry(answer, attempt); attempt++) {
        counters.count(MoveCount.RETRY);
        sent = nanoTime.getAsLong();
        answer = ask(chunks);
      }
      return switch (answer) {
        case PutAnswer.Receipt receipt -> take(chunks, receipt, sent);
        case PutAnswer.Failed failed -> unconfirmed(chunks, "the target " + reason(failed.why()));
      };
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return unconfirmed(chunks, CLOSING);
    }
  }

  private String unconfirmed(List<Chunk> chunks, String stopped) {
    enter(chunks, MoveOutcome.UNCONFIRMED);
    return stopped;
  }

  /**
   * A drain's target that took some and then not all may be gone, with all that it took: it is
   * asked once more for the first of these, unless there is no time for that.
   */
  private void doubtUnlessConfirmed() {
    Optional<ChunkKey> taken = ledger.firstInDoubt();
    if (taken.isEmpty() || deadline.passed() || Thread.currentThread().isInterrupted()) {
      return;
    }
    try {
      Chunk first = new Chunk(taken.get(), client.self().chunkTokens(), 0);
      boolean lives =
          ask(List.of(first)) instanceof PutAnswer.Receipt receipt
              && Objects.equals(targetsLife, receipt.epoch());
      if (!lives && !deadline.passed()) {
        ledger.doubtTarget();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private PutAnswer ask(List<Chunk> chunks) throws InterruptedException {
    List<String> texts = chunks.stream().map(chunk -> chunk.key().toString()).toList();
    List<Long> tokens = chunks.stream().map(chunk -> (long) chunk.tokens()).toList();
    Duration most = limits.batchDeadline();
    Duration left = deadline.remaining();
    Deadline own = Deadline.after(left.compareTo(most) < 0 ? left : most, nanoTime);
    CompletableFuture<PutAnswer> answer =
        client.put(order.target(), new PutBatch(texts, tokens, moveId, order.drain()), own);
    try {
      return answer.get(Math.max(0, own.remainingNanos()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return new PutAnswer.Failed(new GetAnswer.Expired());
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } finally {
      answer.cancel(false);
    }
  }

  private boolean mayRetry(PutAnswer answer, int attempts) {
    return answer instanceof PutAnswer.Failed failed
        && attempts < limits.batches().maxAttempts()
        && !deadline.passed()
        && failed.why().mayBeAskedAnew();
  }

  private static String reason(GetAnswer why) {
    return switch (why) {
      case GetAnswer.Refused refused -> "refuses, code " + refused.code() + ": " + refused.detail();
      case GetAnswer.Lost lost -> "is lost: " + lost.reason();
      case GetAnswer.Unreachable none -> "can't be reached: " + none.reason();
      case GetAnswer.Garbled garbled -> "answers with garbage: " + garbled.reason();
      case GetAnswer.Expired expired -> "gave no receipt in time";
      case GetAnswer.Delivered delivered -> "answers with chunks";
    };
  }

  private @Nullable String take(List<Chunk> chunks, PutAnswer.Receipt receipt, long sent) {
    boolean another = targetsLife != null && targetsLife != receipt.epoch();
    targetsLife = receipt.epoch();
    if (another) {
      ledger.doubtTarget();
    }
    if (another || promisedUntil - nanoTime.getAsLong() <= 0) {
      // The target may have let go of these before it began to hold the others.
      enter(stragglers, MoveOutcome.NOT_HELD);
      stragglers = new ArrayList<>();
    }
    promisedUntil = sent + receipt.held().toNanos();
    int refused = 0;
    for (int i = 0; i < chunks.size(); i++) {
      PutOutcome told = receipt.outcomes().get(i);
      MoveOutcome outcome = outcomeOf(told);
      Chunk chunk = chunks.get(i);
      if (outcome == MoveOutcome.MOVED) {
        stragglers.add(chunk);
      } else {
        enter(chunk, outcome);
      }
      refused += mayGoForAll(told) ? 1 : 0;
    }
    return refused == chunks.size() ? whyNone(receipt.outcomes()) : null;
  }

  /** Whether others may fare alike: a target that is drained itself keeps nothing. */
  private boolean mayGoForAll(PutOutcome told) {
    return told == PutOutcome.NO_SPACE || (order.drain() && told == PutOutcome.NOT_KEPT);
  }

  private static String whyNone(List<PutOutcome> told) {
    return told.contains(PutOutcome.NO_SPACE) ? NO_ROOM : KEEPS_NONE;
  }

  /** MOVED if it is to be removed here. */
  private MoveOutcome outcomeOf(PutOutcome outcome) {
    return switch (outcome) {
      case READ -> order.copy() ? MoveOutcome.COPIED : MoveOutcome.MOVED;
      case RESIDENT -> order.copy() ? MoveOutcome.RESIDENT : MoveOutcome.MOVED;
      case NO_SPACE -> MoveOutcome.NO_SPACE;
      case TOO_LARGE, UNFULL, WRONG_SIZE, NOT_KEPT -> MoveOutcome.REFUSED;
      case NOT_SENT, UNREADABLE, HARMED, TIMED_OUT -> MoveOutcome.UNREAD;
    };
  }

  private void removeStragglers() {
    long promised = promisedUntil - nanoTime.getAsLong();
    removeStragglers(Duration.ofNanos(Math.clamp(promised, 0, limits.holders().toNanos())));
  }

  /** Removes what the target has and nobody holds here any more. */
  private void removeStragglers(Duration atMost) {
    if (stragglers.isEmpty()) {
      return;
    }
    if (promisedUntil - nanoTime.getAsLong() <= 0) {
      enter(stragglers, MoveOutcome.NOT_HELD);
      stragglers = new ArrayList<>();
      return;
    }
    List<ChunkKey> due = stragglers.stream().map(Chunk::key).toList();
    Set<ChunkKey> kept = new HashSet<>(cache.moves().remove(due, atMost));
    List<Chunk> still = new ArrayList<>();
    for (Chunk chunk : stragglers) {
      if (kept.contains(chunk.key())) {
        still.add(chunk);
      } else {
        enter(chunk, MoveOutcome.MOVED);
      }
    }
    stragglers = still;
  }

  private void enter(List<Chunk> chunks, MoveOutcome outcome) {
    chunks.forEach(chunk -> enter(chunk, outcome));
  }

  private void enter(Chunk chunk, MoveOutcome outcome) {
    ledger.enter(chunk.key(), chunk.tokens(), chunk.bytes(), outcome);
  }
}
