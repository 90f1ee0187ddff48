package io.kvmesh.common.wire.engine;

/** How many chunks were used: fewer where the lease holds fewer. */
public record EngineTouchRetMsg(int touchedChunks) implements EngineReply {}
