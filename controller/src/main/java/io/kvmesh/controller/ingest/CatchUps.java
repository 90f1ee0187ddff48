package io.kvmesh.controller.ingest;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Those who wait until a reader has applied all that the log had when they came. Bounded in number
 * and time; any thread.
 */
final class CatchUps {

  private final int max;

  @GuardedBy("this")
  private final List<CatchUp> waiting = new ArrayList<>();

  @GuardedBy("this")
  private boolean closed;

  private static final class CatchUp {

    private final CompletableFuture<Boolean> future = new CompletableFuture<>();
    private boolean asked;
    private @Nullable Map<Integer, Long> ends;
  }

  CatchUps(int max) {
    this.max = max;
  }

  /** Completes with whether the reader got there in time; never fails. */
  CompletableFuture<Boolean> await(Duration timeout) {
    CatchUp catchUp = new CatchUp();
    synchronized (this) {
      if (closed || waiting.size() >= max) {
        return CompletableFuture.completedFuture(false);
      }
      waiting.add(catchUp);
    }
    return catchUp
        .future
        .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
        .exceptionally(
            late -> {
              synchronized (this) {
                waiting.remove(catchUp);
              }
              return false;
            });
  }

  /** Whether somebody wants to know where the log ends; call before asking the broker. */
  synchronized boolean ask() {
    boolean any = false;
    for (CatchUp catchUp : waiting) {
      catchUp.asked = true;
      any |= catchUp.ends == null;
    }
    return any;
  }

  /** The log ended there, some time after {@link #ask}. */
  synchronized void ends(Map<Integer, Long> ends) {
    for (CatchUp catchUp : waiting) {
      if (catchUp.asked && catchUp.ends == null) {
        catchUp.ends = ends;
      }
    }
  }

  /** The reader has gone on. */
  void check(ReadPositions positions) {
    List<CatchUp> reached = new ArrayList<>();
    synchronized (this) {
      waiting.removeIf(
          catchUp -> {
            boolean there = catchUp.ends != null && positions.haveReached(catchUp.ends);
            if (there) {
              reached.add(catchUp);
            }
            return there;
          });
    }
    reached.forEach(catchUp -> catchUp.future.complete(true));
  }

  void close() {
    List<CatchUp> refused;
    synchronized (this) {
      closed = true;
      refused = List.copyOf(waiting);
      waiting.clear();
    }
    refused.forEach(catchUp -> catchUp.future.complete(false));
  }
}
