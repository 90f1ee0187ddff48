package io.kvmesh.common.wire.engine;

/** The agent's answer. */
public sealed interface EngineReply extends EngineMessage
    permits OpenSessionRetMsg,
        EngineLookupRetMsg,
        EngineRetrieveRetMsg,
        EngineStoreRetMsg,
        EngineReleaseRetMsg,
        EnginePinRetMsg,
        EngineUnpinRetMsg,
        EngineTouchRetMsg,
        EngineCancelRetMsg,
        EnginePrefetchRetMsg,
        EnginePrefetchProgressRetMsg,
        EngineHandOverRetMsg,
        EngineClaimRetMsg,
        EngineAbortRetMsg,
        EngineLeaseRetMsg,
        CloseSessionRetMsg,
        EngineErrorMsg {}
