package io.kvmesh.common.wire.engine;

/** The session, the agent's epoch (−1: not known yet) and its chunk geometry. */
public record OpenSessionRetMsg(long sessionId, long epoch, long pageBytes, int chunkTokens)
    implements EngineReply {}
