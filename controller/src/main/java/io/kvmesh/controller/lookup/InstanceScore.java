package io.kvmesh.controller.lookup;

import io.kvmesh.controller.registry.WorkerView;
import java.util.List;
import java.util.Map;

/**
 * How much of a prompt an instance holds.
 *
 * @param chunks number of chunks, without a gap from the first, that every rank holds which needs
 *     them
 * @param score weights of those chunks, summed, of the rank where that is least
 * @param ranks that need them, as far as they are known, in ascending order
 * @param missingRanks number of ranks of the keyspace that this instance has no worker for; without
 *     them no chunk is whole
 */
public record InstanceScore(
    String instanceId, int chunks, double score, List<RankPrefix> ranks, int missingRanks) {

  /** Copies the list. */
  public InstanceScore {
    ranks = List.copyOf(ranks);
  }

  /**
   * What one rank holds.
   *
   * @param chunks number of chunks without a gap from the first; 0 of a silent worker
   * @param locations number of them at each location, at the best one where there are several
   */
  public record RankPrefix(WorkerView worker, int chunks, Map<String, Integer> locations) {

    /** Copies the map. */
    public RankPrefix {
      locations = Map.copyOf(locations);
    }
  }
}
