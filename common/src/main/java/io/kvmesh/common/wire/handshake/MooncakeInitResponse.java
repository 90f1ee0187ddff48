package io.kvmesh.common.wire.handshake;

/** Answer of the Mooncake channel. */
public record MooncakeInitResponse(String sessionId, long bufferBaseAddr, long bufferLen)
    implements HandshakeReply {}
