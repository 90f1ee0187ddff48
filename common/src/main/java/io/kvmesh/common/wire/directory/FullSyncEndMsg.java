package io.kvmesh.common.wire.directory;

/** The end of a full sync. */
public record FullSyncEndMsg(
    String instanceId, int workerId, String location, String syncId, long actualTotalKeys)
    implements DirectoryPush {}
