package io.kvmesh.common.wire.engine;

/**
 * The claim's chunks are written: keep them. With hold they stay in the lease (0 makes a new one).
 * The reply is that to a store, with an outcome for each chunk that was claimed.
 */
public record EngineCommitMsg(long sessionId, long claimId, long leaseId, boolean hold)
    implements EngineRequest {}
