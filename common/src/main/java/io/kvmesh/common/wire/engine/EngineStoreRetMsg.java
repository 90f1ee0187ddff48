package io.kvmesh.common.wire.engine;

import java.util.List;

/** What became of each chunk; epoch and sequence of the cache's last event. */
public record EngineStoreRetMsg(
    long leaseId, List<StoreOutcome> outcomes, long epoch, long sequence) implements EngineReply {

  /** Copies the collections. */
  public EngineStoreRetMsg {
    outcomes = List.copyOf(outcomes);
  }
}
