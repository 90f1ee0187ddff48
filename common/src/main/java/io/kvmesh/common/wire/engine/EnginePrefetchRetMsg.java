package io.kvmesh.common.wire.engine;

/** It is under way: ask for its progress by this id. */
public record EnginePrefetchRetMsg(long prefetchId) implements EngineReply {}
