package io.kvmesh.common.wire.directory;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.wire.Extension;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who holds the longest prefix of these chunks? Without a keyspace the asker is foreign.
 *
 * @param traceparent of the trace that this belongs to, as W3C writes it
 */
public record BatchedP2PLookupMsg(
    List<ChunkHash> hashes,
    String instanceId,
    int workerId,
    @Extension @Nullable String keyspace,
    @Extension @Nullable String traceparent)
    implements DirectoryRequest {

  /** Copies the collections. */
  public BatchedP2PLookupMsg {
    hashes = List.copyOf(hashes);
  }

  /** Without a trace. */
  public BatchedP2PLookupMsg(
      List<ChunkHash> hashes, String instanceId, int workerId, @Nullable String keyspace) {
    this(hashes, instanceId, workerId, keyspace, null);
  }

  /** Without extensions: as LMCache writes it. */
  public BatchedP2PLookupMsg(List<ChunkHash> hashes, String instanceId, int workerId) {
    this(hashes, instanceId, workerId, null, null);
  }
}
