package io.kvmesh.controller.index.redis;

import io.kvmesh.controller.index.KeyTotals;
import io.kvmesh.controller.index.WorkerProgress;
import java.util.List;
import java.util.Map;

/**
 * A worker as the durable view holds it.
 *
 * @param topic id of the topic that it is made of
 * @param totals of each location
 * @param sets names of its key sets
 */
public record StoredWorker(
    String topic, WorkerProgress progress, Map<String, KeyTotals> totals, List<String> sets) {

  /** Copies the collections. */
  public StoredWorker {
    totals = Map.copyOf(totals);
    sets = List.copyOf(sets);
  }
}
