package io.kvmesh.common.wire.directory;

/** What a worker pushes; there is no reply. */
public sealed interface DirectoryPush extends DirectoryMessage
    permits DeRegisterMsg,
        BatchedKVOperationMsg,
        FullSyncBatchMsg,
        FullSyncEndMsg,
        KVAdmitMsg,
        KVEvictMsg {}
