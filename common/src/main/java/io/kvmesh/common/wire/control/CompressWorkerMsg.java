package io.kvmesh.common.wire.control;

import io.kvmesh.common.wire.DefaultValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Compress the chunks of these tokens; null is all. */
public record CompressWorkerMsg(
    String workerEventId, String method, String location, @DefaultValue @Nullable List<Long> tokens)
    implements ControlRequest {

  /** Copies the collections. */
  public CompressWorkerMsg {
    tokens = tokens == null ? null : List.copyOf(tokens);
  }
}
