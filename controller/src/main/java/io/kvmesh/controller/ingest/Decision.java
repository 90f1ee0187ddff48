package io.kvmesh.controller.ingest;

import io.kvmesh.controller.index.WorkerChange;
import io.kvmesh.controller.trail.TrailEvent.Kind;
import java.util.List;

/**
 * What a worker's stream makes of a record: the change for the index, and what to compare with the
 * totals that it answers.
 *
 * @param notes what people would want to know of it
 */
record Decision(WorkerStream stream, WorkerChange change, List<Check> checks, List<Note> notes) {

  /** Something out of the ordinary, in words. */
  record Note(Kind kind, String location, String text) {}

  /**
   * What the worker says it holds at a location after one step of the change.
   *
   * @param step index of the step
   * @param sequence of its last operation before it said so
   */
  record Check(int step, LocationStream location, long sequence, long count, long digest) {}
}
