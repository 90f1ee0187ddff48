package io.kvmesh.common.wire.control;

import io.kvmesh.common.wire.Extension;
import org.jspecify.annotations.Nullable;

/** What was dropped, and the number of the last event that tells of it. */
public record ClearWorkerRetMsg(
    long numTokens,
    @Extension @Nullable Long epoch,
    @Extension @Nullable Long sequence,
    @Extension @Nullable Long numChunks)
    implements ControlReply {

  /** Without extensions: as LMCache writes it. */
  public ClearWorkerRetMsg(long numTokens) {
    this(numTokens, null, null, null);
  }
}
