package io.kvmesh.common.wire.control;

import io.kvmesh.common.wire.DefaultValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Move or copy the chunks of these tokens to another worker; null is all. */
public record MoveWorkerMsg(
    String workerEventId,
    String oldPosition,
    WorkerPosition newPosition,
    @DefaultValue @Nullable List<Long> tokens,
    @DefaultValue("true") @Nullable Boolean copy)
    implements ControlRequest {

  /** Copies the collections. */
  public MoveWorkerMsg {
    tokens = tokens == null ? null : List.copyOf(tokens);
  }
}
