package io.kvmesh.common.wire.engine;

/** Number of chunks that were claimed. */
public record EngineAbortRetMsg(int abortedChunks) implements EngineReply {}
