package io.kvmesh.common.wire.directory;

/** A worker wants to list all it holds in a location. */
public record FullSyncStartMsg(
    String instanceId, int workerId, String location, String syncId, long totalKeys, int batchCount)
    implements DirectoryRequest {}
