package io.kvmesh.agent.drain;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.agent.transfer.MoveCount;
import io.kvmesh.agent.transfer.MoveReport;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.control.MoveOutcome;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** What has become of each chunk of a drain so far. Any thread. */
final class DrainLedger {

  /** Keys of chunks that nobody else has are listed up to here, and counted all. */
  static final int MOST_LISTED = 1000;

  private final String id;
  private final int chunks;
  private final Counters<MoveCount> counters;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Map<MoveOutcome, Integer> outcomes = new EnumMap<>(MoveOutcome.class);

  @GuardedBy("lock")
  private final List<String> targets = new ArrayList<>();

  @GuardedBy("lock")
  private final List<ChunkKey> left = new ArrayList<>();

  @GuardedBy("lock")
  private final List<MoveOutcome> leftWhy = new ArrayList<>();

  @GuardedBy("lock")
  private long tokens;

  DrainLedger(String id, int chunks, Counters<MoveCount> counters) {
    this.id = id;
    this.chunks = chunks;
    this.counters = counters;
  }

  String id() {
    return id;
  }

  /** A chunk that wasn't handed over. */
  void enter(ChunkKey key, MoveOutcome outcome) {
    lock.lock();
    try {
      add(outcome, 1);
      if (outcome != MoveOutcome.ELSEWHERE && left.size() < MOST_LISTED) {
        left.add(key);
        leftWhy.add(outcome);
      }
    } finally {
      lock.unlock();
    }
  }

  /** What a target has now, and what was not here any more. The others may go to the next. */
  void took(String target, MoveReport report) {
    lock.lock();
    try {
      report
          .outcomes()
          .forEach(
              (outcome, count) -> {
                if (outcome.isThere() || outcome == MoveOutcome.GONE) {
                  add(outcome, count);
                }
              });
      tokens += report.tokens();
      if (report.tokens() > 0) {
        targets.add(target);
      }
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void add(MoveOutcome outcome, int count) {
    counters.add(MoveCount.of(outcome), count);
    outcomes.merge(outcome, count, Integer::sum);
  }

  /** All of it. */
  DrainReport report(@Nullable String stopped, long sequence) {
    lock.lock();
    try {
      return new DrainReport(
          id, targets, chunks, outcomes, tokens, left, leftWhy, stopped, sequence);
    } finally {
      lock.unlock();
    }
  }
}
