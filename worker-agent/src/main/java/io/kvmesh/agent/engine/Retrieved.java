package io.kvmesh.agent.engine;

import io.kvmesh.agent.cache.ChunkLease;
import java.util.List;

/**
 * A prefix in memory.
 *
 * @param lease holds all of it; the caller closes it
 * @param order which chunk of the lease is which of the prefix
 * @param local chunks that were here
 * @param peerOutcome what came of asking for the rest
 */
public record Retrieved(ChunkLease lease, List<Integer> order, int local, String peerOutcome) {

  /** Chunks that a peer had, or that lay here behind those. */
  public int fromPeer() {
    return order.size() - local;
  }
}
