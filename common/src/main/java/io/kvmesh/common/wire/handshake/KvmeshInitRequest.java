package io.kvmesh.common.wire.handshake;

import io.kvmesh.common.wire.FormatNumber;
import java.util.List;

/**
 * An agent introduces itself: its life, its chunk geometry, and the channels it can use, best
 * first.
 */
public record KvmeshInitRequest(
    @FormatNumber int format,
    String peerInitUrl,
    String instanceId,
    int workerId,
    long epoch,
    long pageBytes,
    int chunkTokens,
    List<String> channels)
    implements HandshakeRequest {

  /** Copies the collections. */
  public KvmeshInitRequest {
    channels = List.copyOf(channels);
  }
}
