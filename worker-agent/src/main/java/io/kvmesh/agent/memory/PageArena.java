package io.kvmesh.agent.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One region of memory off the heap, zeroed, of which the system backs a page when it is first
 * touched, unless it was to back all at once. It begins on a huge page (2 MiB) where it is as long,
 * else on a page. Any thread may read and write it. Closing it unmaps it: an access that comes
 * later fails with an IllegalStateException, so whoever hands out its bytes stops first.
 */
public final class PageArena implements AutoCloseable {

  private static final long MAX_CLOSE_NANOS = 5_000_000_000L;
  private static final long POLL_NANOS = 100_000;

  private final Arena lifetime;
  private final MemorySegment bytes;
  private final List<FeatureOutcome> features;
  private final ArenaOptions options;
  private final @Nullable Shared shared;
  private volatile boolean closing;

  /** What an arena in a file has besides its bytes. */
  private record Shared(
      SharedFile file, ArenaHeader header, Generations generations, ArenaIdentity identity) {}

  private PageArena(
      Arena lifetime,
      MemorySegment bytes,
      ArenaOptions options,
      List<FeatureOutcome> features,
      @Nullable Shared shared) {
    this.lifetime = lifetime;
    this.bytes = bytes;
    this.options = options;
    this.features = features;
    this.shared = shared;
  }

  /**
   * Anonymous memory of this process alone.
   *
   * @throws ArenaException if the system doesn't grant that much
   */
  public static PageArena anonymous(long byteSize) {
    return open(ArenaOptions.anonymous(byteSize));
  }

  /**
   * Memory as the options ask. What is wanted and not had is in {@link #features}.
   *
   * @throws ArenaException if the system doesn't grant that much or what is required, or another
   *     arena has the file
   */
  @SuppressWarnings("MustBeClosedChecker") // the arena closes it
  public static PageArena open(ArenaOptions options) {
    Arena lifetime = Arena.ofShared();
    SharedFile file = null;
    try {
      FeatureRequests requests = new FeatureRequests(options);
      MemorySegment bytes;
      Shared shared = null;
      if (options.file().isPresent()) {
        ArenaFileLayout layout = new ArenaFileLayout(options.byteSize());
        file = SharedFile.claim(options.file().get());
        requests.ask(MemoryFeature.HUGETLB, file::whyNotHugetlb);
        MemorySegment mapped = file.map(layout, lifetime);
        bytes = mapped.asSlice(0, options.byteSize());
        shared = share(file, layout, mapped, options.file().get());
      } else {
        bytes = AnonymousMemory.map(options, requests, lifetime);
      }
      new ArenaFeatures(options, bytes).askFor(requests);
      return new PageArena(lifetime, bytes, options, requests.outcomes(), shared);
    } catch (ArenaException refused) {
      lifetime.close();
      if (file != null) {
        file.close();
      }
      throw refused;
    }
  }

  /**
   * Removes the file of an arena whose process died. In a tmpfs its bytes count as taken until
   * then, so this comes before one asks how much memory there is.
   *
   * @throws ArenaException if an arena that is in use has it, or something that no arena left
   */
  public static void removeLeft(Path file) {
    SharedFile.claim(file).close();
  }

  private static Shared share(
      SharedFile file, ArenaFileLayout layout, MemorySegment mapped, Path path) {
    UUID id = UUID.randomUUID();
    return new Shared(
        file,
        ArenaHeader.write(mapped, layout, id),
        new Generations(mapped.asSlice(layout.tableOffset(), layout.tableBytes())),
        new ArenaIdentity(path.getFileName().toString(), layout.arenaBytes(), id));
  }

  /** What became of each feature, asked for or not. */
  public List<FeatureOutcome> features() {
    return features;
  }

  /** The file that others on this host can map, if it has one. */
  public Optional<Path> file() {
    return options.file();
  }

  /** What tells others that the file is this arena's; empty if it has none. */
  public Optional<ArenaIdentity> identity() {
    return Optional.ofNullable(shared).map(Shared::identity);
  }

  /** Writes the owner's life into the file, if there is one: others require it. Any thread. */
  public void tellEpoch(long epoch) {
    if (shared != null) {
      shared.header().tellEpoch(epoch);
    }
  }

  /** Who gives out its bytes raises the generation of what it takes back. */
  Generations generations() {
    return shared == null ? Generations.NONE : shared.generations();
  }

  /**
   * All of it.
   *
   * @throws IllegalStateException if the arena is closing or closed
   */
  public MemorySegment bytes() {
    if (closing) {
      throw new IllegalStateException("The arena is closing");
    }
    return bytes;
  }

  /** Its size in bytes. */
  public long byteSize() {
    return bytes.byteSize();
  }

  /**
   * Removes the file, if there is one: nobody can map it any more, who has mapped it keeps its
   * bytes. Closing does it too; for an arena that can't be closed. Idempotent.
   *
   * @throws ArenaException if the file can't be removed
   */
  public void removeFile() {
    if (shared != null) {
      shared.file().remove();
    }
  }

  /**
   * Refuses new accesses, then gives the memory back to the system; further calls do nothing. Waits
   * for accesses that are under way in native code, such as a checksum or a write to a socket.
   *
   * @throws ArenaException if one goes on for seconds; the memory is still mapped then
   */
  @Override
  public synchronized void close() {
    closing = true;
    removeFile();
    unmap();
    if (shared != null) {
      shared.file().close();
    }
  }

  private void unmap() {
    long deadline = System.nanoTime() + MAX_CLOSE_NANOS;
    while (lifetime.scope().isAlive()) {
      try {
        lifetime.close();
      } catch (IllegalStateException inUse) {
        if (System.nanoTime() - deadline > 0) {
          throw new ArenaException("The arena is still in use", inUse);
        }
        // Nothing signals the end of such an access.
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
  }
}
