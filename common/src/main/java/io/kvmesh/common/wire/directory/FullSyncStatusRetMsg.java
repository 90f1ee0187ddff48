package io.kvmesh.common.wire.directory;

import io.kvmesh.common.wire.DefaultValue;
import java.util.List;

/** How far a full sync is; progress is the share of workers that are done, 0 to 1. */
public record FullSyncStatusRetMsg(
    String syncId,
    boolean isComplete,
    double globalProgress,
    boolean canExitFreeze,
    @DefaultValue List<Integer> missingBatches)
    implements DirectoryReply {

  /** Copies the collections. */
  public FullSyncStatusRetMsg {
    missingBatches = List.copyOf(missingBatches);
  }
}
