package io.kvmesh.common.wire.engine;

import java.util.List;

/** How long a prefix is resident here, and in the fleet? With a lease the local part is held. */
public record EngineLookupMsg(long sessionId, List<String> keys, boolean lease)
    implements EngineRequest {

  /** Copies the collections. */
  public EngineLookupMsg {
    keys = List.copyOf(keys);
  }
}
