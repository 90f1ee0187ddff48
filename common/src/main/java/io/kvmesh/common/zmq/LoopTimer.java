package io.kvmesh.common.zmq;

/** An action of a loop at a time to come. */
public final class LoopTimer {

  private final Runnable action;
  private final long periodNanos;
  private long dueNanos;
  private boolean cancelled;

  LoopTimer(Runnable action, long dueNanos, long periodNanos) {
    this.action = action;
    this.dueNanos = dueNanos;
    this.periodNanos = periodNanos;
  }

  /** It won't act any more. Owner thread; idempotent. */
  public void cancel() {
    cancelled = true;
  }

  Runnable action() {
    return action;
  }

  boolean isCancelled() {
    return cancelled;
  }

  long dueNanos() {
    return dueNanos;
  }

  /** Sets the next time; false if there is none. Missed times are skipped. */
  boolean rearm(long nowNanos) {
    dueNanos = nowNanos + periodNanos;
    return periodNanos > 0 && !cancelled;
  }
}
