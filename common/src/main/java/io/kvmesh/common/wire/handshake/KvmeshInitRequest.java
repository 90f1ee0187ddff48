package io.kvmesh.common.wire.handshake;

import io.kvmesh.common.wire.Extension;
import io.kvmesh.common.wire.FormatNumber;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An agent introduces itself: its life, its chunk geometry, the channels it can use, best first,
 * and the methods of compression whose chunks it takes as they lie, as commands name them; it may
 * know none of those.
 */
public record KvmeshInitRequest(
    @FormatNumber int format,
    String peerInitUrl,
    String instanceId,
    int workerId,
    long epoch,
    long pageBytes,
    int chunkTokens,
    List<String> channels,
    @Extension @Nullable List<String> compression)
    implements HandshakeRequest {

  /** Copies the collections. */
  public KvmeshInitRequest {
    channels = List.copyOf(channels);
    compression = compression == null ? null : List.copyOf(compression);
  }

  /** Of an agent that takes whole bodies only. */
  public KvmeshInitRequest(
      int format,
      String peerInitUrl,
      String instanceId,
      int workerId,
      long epoch,
      long pageBytes,
      int chunkTokens,
      List<String> channels) {
    this(format, peerInitUrl, instanceId, workerId, epoch, pageBytes, chunkTokens, channels, null);
  }
}
