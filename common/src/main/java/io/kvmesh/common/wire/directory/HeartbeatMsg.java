package io.kvmesh.common.wire.directory;

import io.kvmesh.common.wire.Extension;
import org.jspecify.annotations.Nullable;

/** A sign of life. Answered by {@link HeartbeatRetMsg}. */
public record HeartbeatMsg(
    String instanceId,
    int workerId,
    String ip,
    int port,
    @Nullable String peerInitUrl,
    @Extension @Nullable Long epoch)
    implements DirectoryRequest {

  /** Without extensions: as LMCache writes it. */
  public HeartbeatMsg(
      String instanceId, int workerId, String ip, int port, @Nullable String peerInitUrl) {
    this(instanceId, workerId, ip, port, peerInitUrl, null);
  }
}
