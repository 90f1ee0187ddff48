package io.kvmesh.common.wire.engine;

/** How far is it? Those that are over are known for a while. */
public record EnginePrefetchProgressMsg(long sessionId, long prefetchId) implements EngineRequest {}
