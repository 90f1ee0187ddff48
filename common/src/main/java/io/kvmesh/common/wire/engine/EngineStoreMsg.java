package io.kvmesh.common.wire.engine;

import java.util.List;

/**
 * Keep these chunks; a body frame follows for each. Tokens by chunk. With hold the chunks stay in
 * the lease (0 makes a new one).
 */
public record EngineStoreMsg(
    long sessionId, long leaseId, List<String> keys, List<Integer> tokens, boolean hold)
    implements EngineRequest {

  /** Copies the collections. */
  public EngineStoreMsg {
    keys = List.copyOf(keys);
    tokens = List.copyOf(tokens);
  }
}
