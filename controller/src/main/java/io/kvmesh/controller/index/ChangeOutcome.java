package io.kvmesh.controller.index;

import java.util.List;

/** Whether a view made a change. */
public sealed interface ChangeOutcome {

  /**
   * It did.
   *
   * @param totals of the step's location after each step; {@link KeyTotals#NONE} after a drop
   * @param unplaced chunks that should have been admitted and were not, since the view is full
   */
  record Applied(List<KeyTotals> totals, long unplaced) implements ChangeOutcome {

    /** Copies the list. */
    public Applied {
      totals = List.copyOf(totals);
    }

    /** All of it. */
    public Applied(List<KeyTotals> totals) {
      this(totals, 0);
    }
  }

  /**
   * It did not: it holds another state of the worker than the change builds on.
   *
   * @param heldOffset of the last record that it has applied of the worker; −1 = it has none
   */
  record Refused(long heldOffset) implements ChangeOutcome {}
}
