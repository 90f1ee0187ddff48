package io.kvmesh.common.wire.control;

import io.kvmesh.common.wire.DefaultValue;
import io.kvmesh.common.wire.Extension;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decompress the chunks of these tokens, or of these keys (ours); without any all. */
public record DecompressWorkerMsg(
    String workerEventId,
    String method,
    String location,
    @DefaultValue @Nullable List<Long> tokens,
    @Extension @Nullable List<String> keys)
    implements ControlRequest {

  /** Copies the collections. */
  public DecompressWorkerMsg {
    tokens = tokens == null ? null : List.copyOf(tokens);
    keys = keys == null ? null : List.copyOf(keys);
  }

  /** Without extensions: as LMCache writes it. */
  public DecompressWorkerMsg(
      String workerEventId, String method, String location, @Nullable List<Long> tokens) {
    this(workerEventId, method, location, tokens, null);
  }
}
