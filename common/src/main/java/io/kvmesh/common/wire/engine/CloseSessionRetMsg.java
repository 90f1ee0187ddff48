package io.kvmesh.common.wire.engine;

/** Number of chunks that its leases held. */
public record CloseSessionRetMsg(int releasedChunks) implements EngineReply {}
