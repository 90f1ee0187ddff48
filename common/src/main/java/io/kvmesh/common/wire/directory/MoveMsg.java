package io.kvmesh.common.wire.directory;

import io.kvmesh.common.wire.DefaultValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Move or copy the chunks of these tokens; null is all. */
public record MoveMsg(
    String eventId,
    Position oldPosition,
    Position newPosition,
    @DefaultValue @Nullable List<Long> tokens,
    @DefaultValue("false") @Nullable Boolean copy)
    implements OrchestrationMessage {

  /** Copies the collections. */
  public MoveMsg {
    tokens = tokens == null ? null : List.copyOf(tokens);
  }
}
