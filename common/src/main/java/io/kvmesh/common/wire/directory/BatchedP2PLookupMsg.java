package io.kvmesh.common.wire.directory;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.wire.Extension;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Who holds the longest prefix of these chunks? Without a keyspace the asker is foreign. */
public record BatchedP2PLookupMsg(
    List<ChunkHash> hashes, String instanceId, int workerId, @Extension @Nullable String keyspace)
    implements DirectoryRequest {

  /** Copies the collections. */
  public BatchedP2PLookupMsg {
    hashes = List.copyOf(hashes);
  }

  /** Without extensions: as LMCache writes it. */
  public BatchedP2PLookupMsg(List<ChunkHash> hashes, String instanceId, int workerId) {
    this(hashes, instanceId, workerId, null);
  }
}
