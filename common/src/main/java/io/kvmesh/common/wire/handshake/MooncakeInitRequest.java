package io.kvmesh.common.wire.handshake;

/** Handshake of the Mooncake channel. */
public record MooncakeInitRequest(
    String localId, String sessionId, long bufferBaseAddr, long bufferLen)
    implements HandshakeRequest {}
