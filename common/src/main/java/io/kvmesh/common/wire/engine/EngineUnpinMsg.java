package io.kvmesh.common.wire.engine;

import java.util.List;

/**
 * Takes off an owner's pins.
 *
 * @param keys of these chunks; none = of all
 */
public record EngineUnpinMsg(long sessionId, String owner, List<String> keys)
    implements EngineRequest {

  /** Copies the collections. */
  public EngineUnpinMsg {
    keys = List.copyOf(keys);
  }
}
