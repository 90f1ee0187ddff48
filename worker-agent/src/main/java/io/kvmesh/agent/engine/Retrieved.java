package io.kvmesh.agent.engine;

import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.fleet.FleetOutcome;
import java.util.List;

/**
 * A prefix in memory.
 *
 * @param lease holds all of it; the caller closes it
 * @param order which chunk of the lease is which of the prefix
 * @param local chunks that were here
 * @param outcome what came of asking for the rest
 */
public record Retrieved(ChunkLease lease, List<Integer> order, int local, FleetOutcome outcome) {

  /** Chunks that a peer had, or that lay here behind those. */
  public int fromPeer() {
    return order.size() - local;
  }
}
