package io.kvmesh.common.wire.directory;

import org.jspecify.annotations.Nullable;

/** A worker as the controller knows it; times in seconds since 1970. A map without {@code type}. */
public record WorkerInfo(
    String instanceId,
    int workerId,
    String ip,
    int port,
    @Nullable String peerInitUrl,
    double registrationTime,
    double lastHeartbeatTime) {}
