package io.kvmesh.common.wire.engine;

import java.util.List;

/**
 * Pins the longest prefix that is resident here.
 *
 * @param owner within the session, such as a request; pinning again under one name pins nothing
 *     twice
 */
public record EnginePinMsg(long sessionId, String owner, List<String> keys)
    implements EngineRequest {

  /** Copies the collections. */
  public EnginePinMsg {
    keys = List.copyOf(keys);
  }
}
