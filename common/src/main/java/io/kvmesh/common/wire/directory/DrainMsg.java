package io.kvmesh.common.wire.directory;

import io.kvmesh.common.key.ChunkHash;
import java.util.List;

/**
 * A worker that is going asks who could take its chunks, and which of these, all of one keyspace,
 * another worker has.
 */
public record DrainMsg(String instanceId, int workerId, String keyspace, List<ChunkHash> hashes)
    implements DirectoryRequest {

  /** Copies the collections. */
  public DrainMsg {
    hashes = List.copyOf(hashes);
  }
}
