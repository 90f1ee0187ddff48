package io.kvmesh.common.wire.peer;

/** A peer's answer. */
public sealed interface PeerReply extends PeerMessage
    permits BatchedLookupAndGetRetMsg, BatchedLookupAndPutRetMsg, P2PErrorMsg {}
