package io.kvmesh.common.wire.engine;

/** Ends a lease. */
public record EngineReleaseMsg(long sessionId, long leaseId) implements EngineRequest {}
