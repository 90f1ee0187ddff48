package io.kvmesh.common.wire.handshake;

import io.kvmesh.common.wire.Bytes;

/** Memory registration of the NIXL channel; the content is opaque. */
public record NixlMemRegRequest(Bytes remoteAgentName, String localId, Bytes localXferDlistBytes)
    implements HandshakeRequest {}
