package io.kvmesh.controller.index;

import io.kvmesh.common.key.WorkerId;
import java.util.List;
import java.util.function.Supplier;

/**
 * What one record of the log changes at one worker.
 *
 * @param expectedOffset of the worker's record before this one, which the view must hold for the
 *     change to be right; −1 = the view must hold nothing of the worker
 * @param offset of this record
 * @param forget whether the worker is down: the view holds nothing of it afterwards
 * @param progress how far the worker's stream is after the change; read only while the change is
 *     being made, and only by a view that keeps it
 */
public record WorkerChange(
    WorkerId worker,
    long expectedOffset,
    long offset,
    boolean forget,
    List<ChangeStep> steps,
    Supplier<WorkerProgress> progress) {

  /** Copies the list. */
  public WorkerChange {
    steps = List.copyOf(steps);
  }
}
