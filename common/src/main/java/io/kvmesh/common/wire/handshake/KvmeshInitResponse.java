package io.kvmesh.common.wire.handshake;

import io.kvmesh.common.wire.FormatNumber;
import org.jspecify.annotations.Nullable;

/** The owner's life and geometry, and the channel to use; with a refusal none is. */
public record KvmeshInitResponse(
    @FormatNumber int format, long epoch, long pageBytes, String channel, @Nullable String refusal)
    implements HandshakeReply {}
