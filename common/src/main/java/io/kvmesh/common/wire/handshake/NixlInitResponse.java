package io.kvmesh.common.wire.handshake;

import io.kvmesh.common.wire.Bytes;

/** Answer of the NIXL channel; the content is opaque. */
public record NixlInitResponse(Bytes remoteAgentName, Bytes remoteMetaBytes)
    implements HandshakeReply {}
