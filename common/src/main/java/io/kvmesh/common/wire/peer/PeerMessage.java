package io.kvmesh.common.wire.peer;

import io.kvmesh.common.wire.Message;

/** Everything that goes over a peer's lookup socket. */
public sealed interface PeerMessage extends Message permits PeerRequest, PeerReply {}
