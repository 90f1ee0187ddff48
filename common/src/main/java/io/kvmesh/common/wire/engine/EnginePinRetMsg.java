package io.kvmesh.common.wire.engine;

/**
 * How much is pinned for the owner.
 *
 * @param pinnedChunks from the first key on
 * @param pinnedTokens that they stand for
 * @param refusedChunks that are resident behind them and are not pinned, since too many are
 */
public record EnginePinRetMsg(int pinnedChunks, long pinnedTokens, int refusedChunks)
    implements EngineReply {}
