package io.kvmesh.common.wire.engine;

/** Number of chunks that the lease held. */
public record EngineReleaseRetMsg(int releasedChunks) implements EngineReply {}
