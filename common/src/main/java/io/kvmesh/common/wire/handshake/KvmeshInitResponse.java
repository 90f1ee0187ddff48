package io.kvmesh.common.wire.handshake;

import io.kvmesh.common.wire.Extension;
import io.kvmesh.common.wire.FormatNumber;
import org.jspecify.annotations.Nullable;

/**
 * The owner's life and geometry, and the channel to use; with a refusal none is. A channel over
 * shared memory says where that is. Where frames are sealed, the key is told here.
 */
public record KvmeshInitResponse(
    @FormatNumber int format,
    long epoch,
    long pageBytes,
    String channel,
    @Nullable String refusal,
    @Extension @Nullable SharedMemory sharedMemory,
    @Extension @Nullable SealTerms seal)
    implements HandshakeReply {

  /** Of a channel that needs no more than its name. */
  public KvmeshInitResponse(
      int format, long epoch, long pageBytes, String channel, @Nullable String refusal) {
    this(format, epoch, pageBytes, channel, refusal, null, null);
  }
}
