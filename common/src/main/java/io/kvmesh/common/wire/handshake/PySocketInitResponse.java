package io.kvmesh.common.wire.handshake;

import io.kvmesh.common.wire.DefaultValue;

/** Answer of the Python socket channel. */
public record PySocketInitResponse(@DefaultValue("ok") String status) implements HandshakeReply {}
