package io.kvmesh.common.wire.directory;

/** How far is my full sync? */
public record FullSyncStatusMsg(String instanceId, int workerId, String syncId)
    implements DirectoryRequest {}
