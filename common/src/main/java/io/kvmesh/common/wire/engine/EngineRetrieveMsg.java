package io.kvmesh.common.wire.engine;

import java.util.List;

/**
 * Send the longest prefix: what is here, then what one peer has. Lease 0 makes a new one, which
 * holds all that is sent.
 */
public record EngineRetrieveMsg(
    long sessionId, long leaseId, List<String> keys, long deadlineMillis) implements EngineRequest {

  /** Copies the collections. */
  public EngineRetrieveMsg {
    keys = List.copyOf(keys);
  }
}
