package io.kvmesh.common.wire.engine;

/** Ends a session and its leases. */
public record CloseSessionMsg(long sessionId) implements EngineRequest {}
