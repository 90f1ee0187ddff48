package io.kvmesh.common.wire.control;

import io.kvmesh.common.wire.Extension;
import org.jspecify.annotations.Nullable;

/**
 * Number of tokens pinned. Ours: number of chunks pinned or unpinned, and of those that are
 * resident and were not pinned since too many are.
 */
public record PinWorkerRetMsg(
    long numTokens, @Extension @Nullable Long numChunks, @Extension @Nullable Long refused)
    implements ControlReply {

  /** Without extensions: as LMCache writes it. */
  public PinWorkerRetMsg(long numTokens) {
    this(numTokens, null, null);
  }
}
