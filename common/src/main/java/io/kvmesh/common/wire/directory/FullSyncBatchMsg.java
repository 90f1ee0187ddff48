package io.kvmesh.common.wire.directory;

import io.kvmesh.common.key.ChunkHash;
import java.util.List;

/** A part of a full sync; the first batch is 0. */
public record FullSyncBatchMsg(
    String instanceId,
    int workerId,
    String location,
    String syncId,
    int batchId,
    List<ChunkHash> keys)
    implements DirectoryPush {

  /** Copies the collections. */
  public FullSyncBatchMsg {
    keys = List.copyOf(keys);
  }
}
