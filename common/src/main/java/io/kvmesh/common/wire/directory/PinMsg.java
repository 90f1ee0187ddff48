package io.kvmesh.common.wire.directory;

import java.util.List;

/** Keep the chunks of these tokens. */
public record PinMsg(String eventId, String instanceId, String location, List<Long> tokens)
    implements OrchestrationMessage {

  /** Copies the collections. */
  public PinMsg {
    tokens = List.copyOf(tokens);
  }
}
