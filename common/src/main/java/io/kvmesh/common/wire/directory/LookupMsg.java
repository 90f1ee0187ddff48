package io.kvmesh.common.wire.directory;

import java.util.List;

/** Which instances hold a prefix of these tokens? */
public record LookupMsg(String eventId, List<Long> tokens) implements OrchestrationMessage {

  /** Copies the collections. */
  public LookupMsg {
    tokens = List.copyOf(tokens);
  }
}
