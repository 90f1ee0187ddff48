package io.kvmesh.common.wire.handshake;

/** Where do you answer lookups? */
public record P2PInitSideMsg() implements HandshakeRequest {}
