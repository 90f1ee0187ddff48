package io.kvmesh.common.wire.peer;

/** What an agent asks of a peer. */
public sealed interface PeerRequest extends PeerMessage
    permits BatchedLookupAndGetMsg, BatchedLookupAndPutMsg, BatchedGetDoneMsg, BatchedPutDoneMsg {}
