package io.kvmesh.common.wire.engine;

/** Uses the first chunks of a lease, the last of them first. */
public record EngineTouchMsg(long sessionId, long leaseId, int chunks) implements EngineRequest {}
