package io.kvmesh.agent.event;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Wakes one waiting thread. A ring while it is awake isn't lost. */
final class Doorbell {

  private volatile boolean rung;
  private volatile @Nullable Thread waiter;

  /** From any thread; cheap if it has rung already. */
  void ring() {
    if (!rung) {
      rung = true;
      LockSupport.unpark(waiter);
    }
  }

  /**
   * By the one thread that waits: returns after a ring or so many nanoseconds, or a little early.
   */
  void await(long nanos) {
    waiter = Thread.currentThread();
    if (!rung) {
      LockSupport.parkNanos(this, nanos);
    }
    rung = false;
  }
}
