package io.kvmesh.common.zmq;

import java.util.PriorityQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The timers of a loop, soonest first. Times are of System.nanoTime. One thread. */
final class LoopTimers {

  private final PriorityQueue<LoopTimer> timers =
      new PriorityQueue<>((a, b) -> Long.signum(a.dueNanos() - b.dueNanos()));

  LoopTimer add(Runnable action, long dueNanos, long periodNanos) {
    LoopTimer timer = new LoopTimer(action, dueNanos, periodNanos);
    timers.add(timer);
    return timer;
  }

  /** Nanoseconds until the next timer is due: 0 if one is, Long.MAX_VALUE if there is none. */
  long nanosToNext(long nowNanos) {
    LoopTimer next = timers.peek();
    return next == null ? Long.MAX_VALUE : Math.max(0, next.dueNanos() - nowNanos);
  }

  /** Hands every action that is due to the runner. */
  void runDue(long nowNanos, Consumer<Runnable> runner) {
    LoopTimer timer = pollDue(nowNanos);
    while (timer != null) {
      if (!timer.isCancelled()) {
        runner.accept(timer.action());
        if (timer.rearm(nowNanos)) {
          timers.add(timer);
        }
      }
      timer = pollDue(nowNanos);
    }
  }

  private @Nullable LoopTimer pollDue(long nowNanos) {
    LoopTimer next = timers.peek();
    return next != null && next.dueNanos() - nowNanos <= 0 ? timers.poll() : null;
  }
}
