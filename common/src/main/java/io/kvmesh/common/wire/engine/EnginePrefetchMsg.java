package io.kvmesh.common.wire.engine;

import java.util.List;

/**
 * Brings this prefix here from peers, in the background. It ends with its session.
 *
 * @param deadlineMillis in which it is to be over; 0 = the agent's own bound, which holds always
 */
public record EnginePrefetchMsg(long sessionId, List<String> keys, long deadlineMillis)
    implements EngineRequest {

  /** Copies the collections. */
  public EnginePrefetchMsg {
    keys = List.copyOf(keys);
  }
}
