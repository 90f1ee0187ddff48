package io.kvmesh.common.wire.handshake;

import io.kvmesh.common.wire.Bytes;

/** Handshake of the NIXL channel; the content is opaque. */
public record NixlInitRequest(Bytes localMetaBytes) implements HandshakeRequest {}
