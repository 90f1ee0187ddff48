package io.kvmesh.controller.index;

import io.kvmesh.common.key.WorkerId;

/** What the reader of the whole log, which every controller has, applies changes to. */
public interface LocalView {

  /**
   * Makes the change as a whole, or refuses it and changes nothing. The outcome has no totals if
   * the view knows of workers, but not what they hold.
   */
  ChangeOutcome apply(WorkerChange change);

  /** What the worker holds at the location, as far as the view knows. */
  KeyTotals totals(WorkerId worker, String location);

  /** Drops the worker, whatever it holds. */
  void forget(WorkerId worker);

  /** Drops every worker: the log is another one. */
  void clear();

  /**
   * Removes a part of what drops have left behind.
   *
   * @return whether there is more
   */
  boolean sweep();

  /** Whether it knows what workers hold: another view answers lookups otherwise. */
  boolean keepsChunks();

  /** Whether a snapshot would find room for what it brings, or for much of it. */
  boolean hasRoom();

  /** Chunks in memory, those dropped and yet to be swept among them. Any thread. */
  long entries();
}
