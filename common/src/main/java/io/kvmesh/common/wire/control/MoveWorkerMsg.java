package io.kvmesh.common.wire.control;

import io.kvmesh.common.wire.DefaultValue;
import io.kvmesh.common.wire.Extension;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Move or copy chunks to another worker: those of the tokens, or those of the keys (ours), or all
 * if both are null.
 */
public record MoveWorkerMsg(
    String workerEventId,
    String oldPosition,
    WorkerPosition newPosition,
    @DefaultValue @Nullable List<Long> tokens,
    @DefaultValue("true") @Nullable Boolean copy,
    @Extension @Nullable List<String> keys)
    implements ControlRequest {

  /** Copies the collections. */
  public MoveWorkerMsg {
    tokens = tokens == null ? null : List.copyOf(tokens);
    keys = keys == null ? null : List.copyOf(keys);
  }

  /** Without extensions: as LMCache writes it. */
  public MoveWorkerMsg(
      String workerEventId,
      String oldPosition,
      WorkerPosition newPosition,
      @Nullable List<Long> tokens,
      @Nullable Boolean copy) {
    this(workerEventId, oldPosition, newPosition, tokens, copy, null);
  }
}
