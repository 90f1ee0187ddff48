package io.kvmesh.common.wire.engine;

/** Gives a claim's memory back. */
public record EngineAbortMsg(long sessionId, long claimId) implements EngineRequest {}
