package io.kvmesh.common.wire.directory;

/** A worker leaves. */
public record DeRegisterMsg(String instanceId, int workerId, String ip, int port)
    implements DirectoryPush {}
