package io.kvmesh.agent.transfer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.control.MoveOutcome;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** What has become of each chunk of a move so far. Any thread. */
final class MoveLedger {

  /** Keys of chunks that a move left are listed up to here, and counted all. */
  static final int MOST_LISTED = 10_000;

  private final MoveOrder order;
  private final int chunks;
  private final int mostListed;
  private final ChunkCache cache;
  private final Counters<MoveCount> counters;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Map<MoveOutcome, Integer> outcomes = new EnumMap<>(MoveOutcome.class);

  @GuardedBy("lock")
  private final List<ChunkKey> left = new ArrayList<>();

  @GuardedBy("lock")
  private final List<MoveOutcome> leftWhy = new ArrayList<>();

  @GuardedBy("lock")
  private long tokens;

  MoveLedger(MoveOrder order, int chunks, ChunkCache cache, Counters<MoveCount> counters) {
    this.order = order;
    this.chunks = chunks;
    // What one target has no room for goes to the next.
    this.mostListed = order.drain() ? chunks : MOST_LISTED;
    this.cache = cache;
    this.counters = counters;
  }

  /**
   * Enters what became of a chunk, once.
   *
   * @param tokensOfChunk which count where it came to the target
   */
  void enter(ChunkKey key, long tokensOfChunk, MoveOutcome outcome) {
    counters.count(MoveCount.of(outcome));
    lock.lock();
    try {
      outcomes.merge(outcome, 1, Integer::sum);
      if (outcome.isThere()) {
        tokens += tokensOfChunk;
      } else if (left.size() < mostListed) {
        left.add(key);
        leftWhy.add(outcome);
      }
    } finally {
      lock.unlock();
    }
  }

  /** All of it. */
  MoveReport report(@Nullable String stopped) {
    long sequence = cache.position().sequence();
    lock.lock();
    try {
      return new MoveReport(order, chunks, outcomes, tokens, left, leftWhy, stopped, sequence);
    } finally {
      lock.unlock();
    }
  }
}
