package io.kvmesh.common.wire.control;

import io.kvmesh.common.wire.DefaultValue;
import io.kvmesh.common.wire.Extension;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Compress the chunks of these tokens, or of these keys (ours); without any all. */
public record CompressWorkerMsg(
    String workerEventId,
    String method,
    String location,
    @DefaultValue @Nullable List<Long> tokens,
    @Extension @Nullable List<String> keys)
    implements ControlRequest {

  /** Copies the collections. */
  public CompressWorkerMsg {
    tokens = tokens == null ? null : List.copyOf(tokens);
    keys = keys == null ? null : List.copyOf(keys);
  }

  /** Without extensions: as LMCache writes it. */
  public CompressWorkerMsg(
      String workerEventId, String method, String location, @Nullable List<Long> tokens) {
    this(workerEventId, method, location, tokens, null);
  }
}
