package io.kvmesh.common.wire.handshake;

import io.kvmesh.common.wire.Message;

/** Everything that goes over a peer's init socket. */
public sealed interface HandshakeMessage extends Message permits HandshakeRequest, HandshakeReply {}
