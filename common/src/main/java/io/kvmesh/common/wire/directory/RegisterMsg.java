package io.kvmesh.common.wire.directory;

import org.jspecify.annotations.Nullable;

/** A worker introduces itself. Answered by {@link RegisterRetMsg}. */
public record RegisterMsg(
    String instanceId, int workerId, String ip, int port, @Nullable String peerInitUrl)
    implements DirectoryRequest {}
