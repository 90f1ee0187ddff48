package io.kvmesh.common.wire.handshake;

import io.kvmesh.common.wire.Bytes;

/** Answer to a memory registration; the content is opaque. */
public record NixlMemRegResponse(Bytes remoteXferDlistBytes) implements HandshakeReply {}
