package io.kvmesh.common.wire.handshake;

/** What an agent asks at a peer's init port. */
public sealed interface HandshakeRequest extends HandshakeMessage
    permits KvmeshInitRequest,
        P2PInitSideMsg,
        PySocketInitRequest,
        NixlInitRequest,
        NixlMemRegRequest,
        MooncakeInitRequest {}
