package io.kvmesh.common.wire.engine;

/** How many chunks were pinned. */
public record EngineUnpinRetMsg(int unpinnedChunks) implements EngineReply {}
