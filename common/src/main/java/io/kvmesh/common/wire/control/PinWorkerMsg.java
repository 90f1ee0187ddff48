package io.kvmesh.common.wire.control;

import io.kvmesh.common.wire.Extension;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keep the chunks of these tokens. Ours:
 *
 * @param keys pinned in place of the tokens' chunks, under the event id as their owner
 * @param unpin take the owner's pins off, those of the keys or all of them
 */
public record PinWorkerMsg(
    String workerEventId,
    String location,
    List<Long> tokens,
    @Extension @Nullable List<String> keys,
    @Extension @Nullable Boolean unpin)
    implements ControlRequest {

  /** Copies the collections. */
  public PinWorkerMsg {
    tokens = List.copyOf(tokens);
    keys = keys == null ? null : List.copyOf(keys);
  }

  /** Without extensions: as LMCache writes it. */
  public PinWorkerMsg(String workerEventId, String location, List<Long> tokens) {
    this(workerEventId, location, tokens, null, null);
  }
}
