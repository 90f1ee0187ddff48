package io.kvmesh.controller.ingest;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.index.redis.DurableViewException;
import io.kvmesh.controller.index.redis.RedisIndex;
import io.kvmesh.controller.index.redis.StoredLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How far the durable view is, where that one answers lookups: any controller may be the one that
 * writes it, so it is asked, again and again while somebody waits. Any thread.
 */
final class DurableProgress implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(DurableProgress.class);
  private static final long TURN_MILLIS = 10;

  /** Those who ask for chunks look at the life as well. */
  private static final int TURNS_BETWEEN_LOOKS = 10;

  private final RedisIndex durable;
  private final Supplier<@Nullable Goal> goal;
  private final int maxWaiters;
  private final LongSupplier nanos;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("kvmesh-durable-progress").factory());

  @GuardedBy("this")
  private List<Waiter> waiters = new ArrayList<>();

  @GuardedBy("this")
  private boolean closed;

  /** Until when {@link #reached} holds. */
  private String life = "";

  private int turns;

  /** What is to be reached; null while the view is whole, or nothing is known. */
  private @Nullable Goal awaited;

  private volatile String reached = "";

  /** What must have been applied for the view to be whole: all that this program has read. */
  record Goal(String topicId, Map<Integer, Long> ends) {}

  private record Waiter(
      WorkerId worker, long offset, long deadlineNanos, CompletableFuture<Boolean> answer) {}

  /**
   * Progress that nobody asks for yet.
   *
   * @param goal as of the moment; null while it isn't known
   */
  DurableProgress(
      RedisIndex durable, Supplier<@Nullable Goal> goal, int maxWaiters, LongSupplier nanos) {
    this.durable = durable;
    this.goal = goal;
    this.maxWaiters = maxWaiters;
    this.nanos = nanos;
  }

  void start() {
    var _ =
        thread.scheduleWithFixedDelay(
            this::turnSafely, TURN_MILLIS, TURN_MILLIS, TimeUnit.MILLISECONDS);
  }

  /**
   * The life of the durable view in which it has been as far as this program had read the log at
   * some moment of that life; empty if it hasn't.
   */
  String reachedLife() {
    return reached;
  }

  /**
   * Waits until the durable view has applied the worker's record of that offset.
   *
   * @return whether it has, within the time given
   */
  CompletableFuture<Boolean> await(WorkerId worker, long offset, Duration timeout) {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    synchronized (this) {
      if (!closed && waiters.size() < maxWaiters) {
        waiters.add(new Waiter(worker, offset, nanos.getAsLong() + timeout.toNanos(), answer));
        return answer;
      }
    }
    return CompletableFuture.completedFuture(false);
  }

  private void turnSafely() {
    try {
      turn();
    } catch (DurableViewException e) {
      log.debug("The durable view doesn't answer: {}", e.getMessage());
    } catch (RuntimeException | Error e) {
      log.error("Can't tell how far the durable view is", e);
    }
  }

  /** Looks once. */
  void turn() {
    try {
      if (reached.isEmpty() || ++turns % TURNS_BETWEEN_LOOKS == 0) {
        look();
      }
      answer(offsets());
    } finally {
      answer(Map.of());
    }
  }

  private void look() {
    StoredLog stored = durable.readLog();
    if (!stored.life().equals(life)) {
      life = stored.life();
      reached = "";
      awaited = null;
    }
    if (awaited == null && reached.isEmpty()) {
      awaited = goal.get();
    }
    if (awaited != null && hasReached(stored, awaited)) {
      awaited = null;
      reached = life;
    }
  }

  private static boolean hasReached(StoredLog stored, Goal wanted) {
    return stored.topic().equals(wanted.topicId())
        && !stored.life().isEmpty()
        && wanted.ends().entrySet().stream()
            .allMatch(end -> stored.next().getOrDefault(end.getKey(), -1L) >= end.getValue());
  }

  private Map<WorkerId, Long> offsets() {
    List<WorkerId> workers;
    synchronized (this) {
      workers = waiters.stream().map(Waiter::worker).distinct().toList();
    }
    Map<WorkerId, Long> offsets = new HashMap<>();
    workers.forEach(worker -> offsets.put(worker, durable.readOffset(worker)));
    return offsets;
  }

  /** Answers those whose record has been applied, and those whose time is over. */
  private void answer(Map<WorkerId, Long> offsets) {
    long now = nanos.getAsLong();
    List<Waiter> done;
    synchronized (this) {
      List<Waiter> left = new ArrayList<>();
      done = new ArrayList<>();
      for (Waiter waiter : waiters) {
        boolean ends = isApplied(waiter, offsets) || now - waiter.deadlineNanos() >= 0;
        (ends ? done : left).add(waiter);
      }
      waiters = left;
    }
    done.forEach(waiter -> waiter.answer().complete(isApplied(waiter, offsets)));
  }

  private static boolean isApplied(Waiter waiter, Map<WorkerId, Long> offsets) {
    return offsets.getOrDefault(waiter.worker(), -1L) >= waiter.offset();
  }

  @Override
  public void close() {
    List<Waiter> left;
    synchronized (this) {
      closed = true;
      left = waiters;
      waiters = new ArrayList<>();
    }
    thread.shutdownNow();
    left.forEach(waiter -> waiter.answer().complete(false));
  }
}
