package io.kvmesh.quickstart.client;

import io.kvmesh.common.wire.engine.EngineRetrieveRetMsg;
import java.util.List;

/**
 * A prefix as the agent delivered it.
 *
 * @param bodies one a chunk, local ones first
 */
public record Retrieved(EngineRetrieveRetMsg reply, List<byte[]> bodies) {

  public Retrieved {
    bodies = List.copyOf(bodies);
  }
}
