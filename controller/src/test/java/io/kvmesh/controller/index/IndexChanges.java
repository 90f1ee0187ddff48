package io.kvmesh.controller.index;

import io.kvmesh.common.key.WorkerId;
import java.util.List;
import java.util.Map;

/** Makes changes as ingest does. */
public final class IndexChanges {

  private IndexChanges() {}

  /** A change that leaves the worker known. */
  public static WorkerChange change(
      WorkerId worker, long expectedOffset, long offset, ChangeStep... steps) {
    return new WorkerChange(
        worker, expectedOffset, offset, false, List.of(steps), () -> progress(offset));
  }

  /** The worker is down. */
  public static WorkerChange forget(WorkerId worker, long expectedOffset, long offset) {
    return new WorkerChange(
        worker,
        expectedOffset,
        offset,
        true,
        List.of(new ChangeStep.Drop()),
        () -> progress(offset));
  }

  private static WorkerProgress progress(long offset) {
    return new WorkerProgress(0, offset, 1, false, null, 0, -1, -1, 0, 0, false, Map.of());
  }
}
