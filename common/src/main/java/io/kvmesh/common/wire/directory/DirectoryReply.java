package io.kvmesh.common.wire.directory;

/** An answer to a worker. */
public sealed interface DirectoryReply extends DirectoryMessage
    permits RegisterRetMsg,
        HeartbeatRetMsg,
        BatchedP2PLookupRetMsg,
        FullSyncStartRetMsg,
        FullSyncStatusRetMsg,
        AppliedRetMsg,
        DrainRetMsg,
        ErrorMsg {}
