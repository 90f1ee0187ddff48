package io.kvmesh.common.wire.directory;

/** What a worker asks; every request has one reply. */
public sealed interface DirectoryRequest extends DirectoryMessage
    permits RegisterMsg,
        HeartbeatMsg,
        BatchedP2PLookupMsg,
        FullSyncStartMsg,
        FullSyncStatusMsg,
        AppliedMsg,
        DrainMsg {}
