package io.kvmesh.common.wire.engine;

import java.util.List;

/** As EngineRetrieveMsg, but the chunks are read in place. */
public record EngineLeaseMsg(long sessionId, long leaseId, List<String> keys, long deadlineMillis)
    implements EngineRequest {

  /** Copies the collections. */
  public EngineLeaseMsg {
    keys = List.copyOf(keys);
  }
}
