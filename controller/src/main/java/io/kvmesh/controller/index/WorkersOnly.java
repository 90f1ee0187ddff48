package io.kvmesh.controller.index;

import io.kvmesh.common.key.WorkerId;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The view in memory where another one answers lookups: how far each worker's records have been
 * read, and no chunk.
 */
public final class WorkersOnly implements LocalView {

  private final Map<WorkerId, Long> offsets = new ConcurrentHashMap<>();

  @Override
  public ChangeOutcome apply(WorkerChange change) {
    long held = offsets.getOrDefault(change.worker(), -1L);
    if (held != change.expectedOffset()) {
      return new ChangeOutcome.Refused(held);
    }
    if (change.forget()) {
      offsets.remove(change.worker());
    } else {
      offsets.put(change.worker(), change.offset());
    }
    return new ChangeOutcome.Applied(List.of());
  }

  @Override
  public KeyTotals totals(WorkerId worker, String location) {
    return KeyTotals.NONE;
  }

  @Override
  public void forget(WorkerId worker) {
    offsets.remove(worker);
  }

  @Override
  public void clear() {
    offsets.clear();
  }

  @Override
  public boolean sweep() {
    return false;
  }

  @Override
  public boolean keepsChunks() {
    return false;
  }

  @Override
  public boolean hasRoom() {
    return true;
  }

  @Override
  public long entries() {
    return 0;
  }
}
