package io.kvmesh.common.wire.handshake;

/** Handshake of the Python socket channel. */
public record PySocketInitRequest(String peerInitUrl) implements HandshakeRequest {}
