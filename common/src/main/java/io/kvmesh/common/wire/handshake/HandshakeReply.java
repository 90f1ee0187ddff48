package io.kvmesh.common.wire.handshake;

/** A peer's answer at its init port. */
public sealed interface HandshakeReply extends HandshakeMessage
    permits KvmeshInitResponse,
        P2PInitSideRetMsg,
        PySocketInitResponse,
        NixlInitResponse,
        NixlMemRegResponse,
        MooncakeInitResponse {}
