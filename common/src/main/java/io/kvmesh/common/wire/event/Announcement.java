package io.kvmesh.common.wire.event;

import io.kvmesh.common.wire.Extension;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a worker tells of itself: where it is, and what must match for its bytes to be of use to
 * another.
 *
 * @param position how far an engine's events are on the log; null of other workers, and as long as
 *     none is
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
    List<String> channels,
    @Extension @Nullable EnginePosition position) {

  /** Copies the collections. */
  public Announcement {
    channels = List.copyOf(channels);
  }

  /** Of a worker that isn't an engine. */
  public Announcement(
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
    this(
        kind,
        ip,
        port,
        peerInitUrl,
        model,
        dtype,
        chunkTokens,
        pageBytes,
        memoryFormat,
        hashAlgorithm,
        hashSeed,
        channels,
        null);
  }
}
