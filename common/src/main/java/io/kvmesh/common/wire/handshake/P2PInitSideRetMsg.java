package io.kvmesh.common.wire.handshake;

/** The address that answers lookups. */
public record P2PInitSideRetMsg(String peerLookupUrl) implements HandshakeReply {}
