package io.kvmesh.common.wire.control;

import java.util.List;

/** Keep the chunks of these tokens. */
public record PinWorkerMsg(String workerEventId, String location, List<Long> tokens)
    implements ControlRequest {

  /** Copies the collections. */
  public PinWorkerMsg {
    tokens = List.copyOf(tokens);
  }
}
