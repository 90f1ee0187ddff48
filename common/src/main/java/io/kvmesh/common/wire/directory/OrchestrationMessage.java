package io.kvmesh.common.wire.directory;

/** What routers and LMCache's REST layer ask, and the answers. */
public sealed interface OrchestrationMessage extends DirectoryMessage
    permits QueryInstMsg,
        QueryInstRetMsg,
        LookupMsg,
        LookupRetMsg,
        ClearMsg,
        ClearRetMsg,
        PinMsg,
        PinRetMsg,
        CompressMsg,
        CompressRetMsg,
        DecompressMsg,
        DecompressRetMsg,
        MoveMsg,
        MoveRetMsg,
        HealthMsg,
        HealthRetMsg,
        CheckFinishMsg,
        CheckFinishRetMsg,
        QueryWorkerInfoMsg,
        QueryWorkerInfoRetMsg {}
