package io.kvmesh.controller.ingest;

/**
 * Answer of a barrier.
 *
 * @param epoch of the worker, as the view knows it then; −1 = worker unknown
 * @param sequence of its last operation applied then; −1 = none known
 */
public record Applied(Outcome outcome, long epoch, long sequence) {

  /** How a barrier ended. */
  public enum Outcome {
    /** The view that serves lookups has applied it. */
    APPLIED,
    /** Not within the time given. */
    TIMED_OUT,
    /** A later epoch of the worker is known: it never will be. */
    SUPERSEDED,
    /** Too many wait already, or the program is closing. */
    REFUSED
  }

  /** Whether it was applied. */
  public boolean applied() {
    return outcome == Outcome.APPLIED;
  }
}
