package io.kvmesh.controller.command;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Has exchanges wait for their turn: those of one lane go one after the other, and of all lanes
 * only so many at a time. Any thread; exchanges are begun outside of the lock.
 */
final class WorkerLanes {

  private final int maxAtATime;
  private final int maxWaiting;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Map<Object, Deque<Turn>> lanes = new HashMap<>();

  @GuardedBy("lock")
  private final Deque<Turn> ready = new ArrayDeque<>();

  @GuardedBy("lock")
  private int running;

  @GuardedBy("lock")
  private int waiting;

  WorkerLanes(int maxAtATime, int maxWaiting) {
    this.maxAtATime = maxAtATime;
    this.maxWaiting = maxWaiting;
  }

  /**
   * Begins the exchange when its turn comes.
   *
   * @param patience if it doesn't come within this, nothing is sent
   */
  CompletableFuture<CommandOutcome> run(
      Object lane, Duration patience, Supplier<CompletableFuture<CommandOutcome>> exchange) {
    Turn turn = new Turn(lane, exchange);
    if (!enter(turn)) {
      return CompletableFuture.completedFuture(
          new CommandOutcome.NotSent(maxWaiting + " commands wait for their turn already"));
    }
    beginReady();
    if (!turn.claimed.get()) {
      turn.giveUpAfter(patience);
    }
    return turn.outcome;
  }

  private boolean enter(Turn turn) {
    lock.lock();
    try {
      if (waiting >= maxWaiting) {
        return false;
      }
      waiting++;
      Deque<Turn> lane = lanes.computeIfAbsent(turn.lane, key -> new ArrayDeque<>());
      lane.add(turn);
      if (lane.size() == 1) {
        ready.add(turn);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void beginReady() {
    for (Turn turn = nextReady(); turn != null; turn = nextReady()) {
      turn.begin();
    }
  }

  private @Nullable Turn nextReady() {
    lock.lock();
    try {
      while (running < maxAtATime && !ready.isEmpty()) {
        Turn turn = ready.remove();
        waiting--;
        if (turn.claimed.compareAndSet(false, true)) {
          running++;
          return turn;
        }
        leave(turn);
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  /** Lets the next of the lane be ready. */
  @GuardedBy("lock")
  private void leave(Turn turn) {
    Deque<Turn> lane = lanes.get(turn.lane);
    if (lane == null) {
      throw new IllegalStateException("a turn without a lane");
    }
    lane.remove();
    if (lane.isEmpty()) {
      lanes.remove(turn.lane);
    } else {
      ready.add(lane.element());
    }
  }

  private void end(Turn turn) {
    lock.lock();
    try {
      running--;
      leave(turn);
    } finally {
      lock.unlock();
    }
    beginReady();
  }

  private final class Turn {

    private final Object lane;
    private final Supplier<CompletableFuture<CommandOutcome>> exchange;
    private final CompletableFuture<CommandOutcome> outcome = new CompletableFuture<>();
    private final AtomicBoolean claimed = new AtomicBoolean();

    Turn(Object lane, Supplier<CompletableFuture<CommandOutcome>> exchange) {
      this.lane = lane;
      this.exchange = exchange;
    }

    void begin() {
      CompletableFuture<CommandOutcome> begun;
      try {
        begun = exchange.get();
      } catch (RuntimeException e) {
        begun = CompletableFuture.failedFuture(e);
      }
      var unused =
          begun.whenComplete(
              (end, failure) -> {
                end(this);
                outcome.complete(
                    failure == null ? end : new CommandOutcome.NotSent(failure.toString()));
              });
    }

    void giveUpAfter(Duration patience) {
      CompletableFuture<Void> late =
          new CompletableFuture<Void>()
              .completeOnTimeout(null, patience.toNanos(), TimeUnit.NANOSECONDS);
      var unused = late.thenRun(() -> giveUp(patience));
      var unusedToo = outcome.thenRun(() -> late.complete(null));
    }

    private void giveUp(Duration patience) {
      if (claimed.compareAndSet(false, true)) {
        outcome.complete(
            new CommandOutcome.NotSent(
                "its turn did not come within " + patience.toMillis() + " ms"));
      }
    }
  }
}
