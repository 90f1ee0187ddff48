package io.kvmesh.common.wire.directory;

import io.kvmesh.common.wire.DefaultValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Compress the chunks of these tokens; null is all. */
public record CompressMsg(
    String eventId,
    String instanceId,
    String method,
    String location,
    @DefaultValue @Nullable List<Long> tokens)
    implements OrchestrationMessage {

  /** Copies the collections. */
  public CompressMsg {
    tokens = tokens == null ? null : List.copyOf(tokens);
  }
}
