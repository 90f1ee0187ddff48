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
        CloseSessionMsg {}
