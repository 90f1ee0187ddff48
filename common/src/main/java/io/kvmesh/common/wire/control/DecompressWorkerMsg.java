package io.kvmesh.common.wire.control;

import io.kvmesh.common.wire.DefaultValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decompress the chunks of these tokens; null is all. */
public record DecompressWorkerMsg(
    String workerEventId, String method, String location, @DefaultValue @Nullable List<Long> tokens)
    implements ControlRequest {

  /** Copies the collections. */
  public DecompressWorkerMsg {
    tokens = tokens == null ? null : List.copyOf(tokens);
  }
}
