package io.kvmesh.agent.transfer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.control.MoveOutcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What has become of each chunk of a move so far, or of a drain. A drain tries one target after the
 * other: what the moves to these settle is entered in the drain's ledger, too. Any thread.
 */
public final class MoveLedger {

  /** Keys of chunks that were left are listed up to here, and counted all. */
  static final int MOST_LISTED = 10_000;

  private final String id;

  /** Null of a drain, which has many. */
  private final @Nullable String target;

  private final Counters<MoveCount> counters;
  private final @Nullable MoveLedger whole;

  /** What became of one chunk that is at a target. */
  private record Arrival(ChunkKey key, long tokens, long bytes, MoveOutcome outcome) {}

  /** No other lock is taken under it. */
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private int chunks;

  @GuardedBy("lock")
  private final List<String> targets = new ArrayList<>();

  @GuardedBy("lock")
  private final Map<MoveOutcome, Integer> outcomes = new EnumMap<>(MoveOutcome.class);

  @GuardedBy("lock")
  private final List<ChunkKey> left = new ArrayList<>();

  @GuardedBy("lock")
  private final List<MoveOutcome> leftWhy = new ArrayList<>();

  /** What its one target has, of a part; the whole keeps no list. */
  @GuardedBy("lock")
  private final List<Arrival> arrivals = new ArrayList<>();

  @GuardedBy("lock")
  private long tokens;

  @GuardedBy("lock")
  private long bytes;

  private MoveLedger(
      String id,
      @Nullable String target,
      Counters<MoveCount> counters,
      @Nullable MoveLedger whole) {
    this.id = id;
    this.target = target;
    this.counters = counters;
    this.whole = whole;
    if (target != null) {
      targets.add(target);
    }
  }

  /** Of a drain. */
  public static MoveLedger ofDrain(String id, Counters<MoveCount> counters) {
    return new MoveLedger(id, null, counters, null);
  }

  static MoveLedger ofMove(MoveOrder order, Counters<MoveCount> counters) {
    return new MoveLedger(order.id(), order.target(), counters, null);
  }

  /** Of a drain's move to one target. What is left may go to the next, so all of it is listed. */
  MoveLedger part(String to) {
    return new MoveLedger(id, to, counters, this);
  }

  /** By which the move or drain is known. */
  public String id() {
    return id;
  }

  /** How many chunks there are. */
  public void expect(int count) {
    lock.lock();
    try {
      chunks = count;
    } finally {
      lock.unlock();
    }
  }

  /** Enters what became of a chunk that came nowhere, once. */
  public void enter(ChunkKey key, MoveOutcome outcome) {
    enter(key, 0, 0, outcome);
  }

  /**
   * Enters what became of a chunk, once.
   *
   * @param tokensOfChunk which count where it is at the target, as do the bytes
   */
  void enter(ChunkKey key, long tokensOfChunk, long bytesOfChunk, MoveOutcome outcome) {
    boolean settled = whole == null || outcome.isThere() || outcome == MoveOutcome.GONE;
    if (settled) {
      counters.count(MoveCount.of(outcome));
    }
    if (settled && whole != null) {
      whole.note(key, tokensOfChunk, bytesOfChunk, outcome, target);
    }
    note(key, tokensOfChunk, bytesOfChunk, outcome, target);
  }

  private void note(
      ChunkKey key,
      long tokensOfChunk,
      long bytesOfChunk,
      MoveOutcome outcome,
      @Nullable String there) {
    lock.lock();
    try {
      outcomes.merge(outcome, 1, Integer::sum);
      if (outcome.isThere()) {
        tokens += tokensOfChunk;
        bytes += bytesOfChunk;
        if (there != null && !targets.contains(there)) {
          targets.add(there);
        }
        if (whole != null) {
          arrivals.add(new Arrival(key, tokensOfChunk, bytesOfChunk, outcome));
        }
      } else if (outcome != MoveOutcome.ELSEWHERE && (whole != null || left.size() < MOST_LISTED)) {
        left.add(key);
        leftWhy.add(outcome);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * The target may have lost what it took, since it died or is silent: of a drain's part, all that
   * is at it becomes unconfirmed, and is left again, before what was left already. A move is told
   * of elsewhere: its chunks are gone from here.
   */
  void doubtTarget() {
    if (whole != null) {
      whole.remove(doubted(), target);
    }
  }

  /** A chunk that the target took, of a part of which it didn't take all. */
  Optional<ChunkKey> firstInDoubt() {
    lock.lock();
    try {
      return left.isEmpty() ? Optional.empty() : arrivals.stream().map(Arrival::key).findFirst();
    } finally {
      lock.unlock();
    }
  }

  private List<Arrival> doubted() {
    lock.lock();
    try {
      List<Arrival> doubted = List.copyOf(arrivals);
      arrivals.clear();
      removeLocked(doubted);
      if (!doubted.isEmpty()) {
        outcomes.merge(MoveOutcome.UNCONFIRMED, doubted.size(), Integer::sum);
      }
      left.addAll(0, doubted.stream().map(Arrival::key).toList());
      leftWhy.addAll(0, Collections.nCopies(doubted.size(), MoveOutcome.UNCONFIRMED));
      return doubted;
    } finally {
      lock.unlock();
    }
  }

  private void remove(List<Arrival> doubted, @Nullable String there) {
    lock.lock();
    try {
      removeLocked(doubted);
      targets.remove(there);
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void removeLocked(List<Arrival> doubted) {
    for (Arrival arrival : doubted) {
      outcomes.computeIfPresent(arrival.outcome, (it, count) -> count == 1 ? null : count - 1);
      tokens -= arrival.tokens;
      bytes -= arrival.bytes;
    }
  }

  /** How long the bodies are that came to targets. */
  public long bytes() {
    lock.lock();
    try {
      return bytes;
    } finally {
      lock.unlock();
    }
  }

  /**
   * All of it.
   *
   * @param sequence of the cache's last event
   */
  public MoveReport report(@Nullable String stopped, long sequence) {
    lock.lock();
    try {
      return new MoveReport(
          id, targets, chunks, outcomes, tokens, bytes, left, leftWhy, stopped, sequence);
    } finally {
      lock.unlock();
    }
  }
}
