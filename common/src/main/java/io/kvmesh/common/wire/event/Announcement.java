package io.kvmesh.common.wire.event;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a worker tells of itself: where it is, and what must match for its bytes to be of use to
 * another.
 */
public record Announcement(
    WorkerKind kind,
    String ip,
    int port,
    @Nullable String peerInitUrl,
    @Nullable String model,
    @Nullable String dtype,
    @Nullable Integer chunkTokens,
    @Nullable Long pageBytes,
    @Nullable String memoryFormat,
    @Nullable String hashAlgorithm,
    @Nullable String hashSeed,
    List<String> channels) {

  /** Copies the collections. */
  public Announcement {
    channels = List.copyOf(channels);
  }
}
