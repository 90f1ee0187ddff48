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
 * @param version of the program; null of workers that don't tell it
 * @param topology where it runs; null of workers that don't tell it
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
    @Extension @Nullable EnginePosition position,
    @Extension @Nullable String version,
    @Extension @Nullable Topology topology) {

  /** Copies the collections. */
  public Announcement {
    channels = List.copyOf(channels);
  }

  /** Without extensions. */
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
        null,
        null,
        null);
  }

  /** The same of an engine whose events are on the log up to there. */
  public Announcement at(@Nullable EnginePosition reached) {
    return with(reached, version, topology);
  }

  /** The same of a program of that version; null = not known. */
  public Announcement ofVersion(@Nullable String program) {
    return with(position, program, topology);
  }

  /** The same of a worker that runs there; null = not known. */
  public Announcement in(@Nullable Topology place) {
    return with(position, version, place);
  }

  private Announcement with(
      @Nullable EnginePosition reached, @Nullable String program, @Nullable Topology place) {
    return new Announcement(
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
        reached,
        program,
        place);
  }
}
