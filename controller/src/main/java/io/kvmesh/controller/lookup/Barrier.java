package io.kvmesh.controller.lookup;

import io.kvmesh.common.key.WorkerId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Waits until the view that serves lookups has applied a worker's operation. Any thread. */
@FunctionalInterface
public interface Barrier {

  /**
   * Completes when it is applied, when it never will be, or after the timeout; never exceptionally.
   *
   * @param epoch of the worker
   * @param sequence of its operation
   */
  CompletableFuture<Answer> await(WorkerId worker, long epoch, long sequence, Duration timeout);

  /**
   * What the view had applied then.
   *
   * @param epoch of the worker as the view knows it; −1 = worker unknown
   * @param sequence of its last operation applied; −1 = none known
   */
  record Answer(Outcome outcome, long epoch, long sequence) {

    /** Whether it was applied. */
    public boolean applied() {
      return outcome == Outcome.APPLIED;
    }
  }

  /** How a wait ended. */
  enum Outcome {
    /** The view has applied it. */
    APPLIED,
    /** Not within the time given. */
    TIMED_OUT,
    /** A later epoch of the worker is known: it never will be. */
    SUPERSEDED,
    /** Too many wait already, or the program is closing. */
    REFUSED
  }
}
