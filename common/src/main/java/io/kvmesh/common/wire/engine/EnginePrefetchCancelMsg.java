package io.kvmesh.common.wire.engine;

/** End it, if it isn't over. What it has brought stays. */
public record EnginePrefetchCancelMsg(long sessionId, long prefetchId) implements EngineRequest {}
