package io.kvmesh.common.wire.engine;

/** What an engine asks of its agent. */
public sealed interface EngineRequest extends EngineMessage
    permits OpenSessionMsg,
        EngineLookupMsg,
        EngineRetrieveMsg,
        EngineStoreMsg,
        EngineReleaseMsg,
        EnginePinMsg,
        EngineUnpinMsg,
        EngineTouchMsg,
        EngineCancelMsg,
        EnginePrefetchMsg,
        EnginePrefetchProgressMsg,
        EnginePrefetchCancelMsg,
        EngineHandOverMsg,
        EngineClaimMsg,
        EngineCommitMsg,
        EngineAbortMsg,
        EngineLeaseMsg,
        CloseSessionMsg {}
