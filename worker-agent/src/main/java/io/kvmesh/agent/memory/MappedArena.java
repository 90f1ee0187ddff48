package io.kvmesh.agent.memory;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The arena of another process on this host, mapped read-only through its file. Any thread may read
 * it while it holds a use of it; the last use that ends unmaps it, on a thread of its own, since
 * that takes long for much memory.
 *
 * <p>Of the owner nothing is believed: its file is looked for by name in a directory of ours, must
 * be a regular file of this user and of the right size, and say in its header that it is the one
 * that was meant. A file that is cut off afterwards makes reads fail, not this process.
 */
public final class MappedArena implements AutoCloseable {

  /** Copied at once: what follows finds it in the processor's cache. */
  private static final int BLOCK_BYTES = 128 << 10;

  private final RandomAccessFile file;
  private final long fileBytes;
  private final Arena lifetime;
  private final MemorySegment bytes;
  private final Generations generations;
  private final AtomicInteger uses = new AtomicInteger(1);
  private volatile boolean broken;

  private MappedArena(
      RandomAccessFile file, Arena lifetime, MemorySegment mapped, ArenaFileLayout layout) {
    this.file = file;
    this.fileBytes = mapped.byteSize();
    this.lifetime = lifetime;
    this.bytes = mapped.asSlice(0, layout.arenaBytes());
    this.generations = new Generations(mapped.asSlice(layout.tableOffset(), layout.tableBytes()));
  }

  /**
   * Maps it; the caller has the first use.
   *
   * @param directory in which the file must be
   * @param epoch life of the owner
   * @throws ArenaException saying why not
   */
  public static MappedArena map(Path directory, ArenaIdentity identity, long epoch) {
    String name = identity.fileName();
    try {
      return open(pathOf(directory, name), identity, epoch);
    } catch (ArenaException | IllegalArgumentException | IOException | InternalError refused) {
      throw new ArenaException(
          "The file %s in %s isn't mapped: %s".formatted(name, directory, refused.getMessage()),
          refused);
    }
  }

  private static Path pathOf(Path directory, String name) {
    try {
      Path path = Path.of(name);
      if (path.getNameCount() == 1
          && !path.isAbsolute()
          && path.toString().equals(name)
          && !name.isEmpty()
          && !name.equals(".")
          && !name.equals("..")) {
        return directory.resolve(path);
      }
    } catch (InvalidPathException e) {
      // The same answer as for a path.
    }
    throw new ArenaException("that is no name of a file");
  }

  @SuppressWarnings("MustBeClosedChecker") // the last use closes both
  private static MappedArena open(Path path, ArenaIdentity identity, long epoch)
      throws IOException {
    RandomAccessFile file = PeerFile.open(path);
    Arena lifetime = Arena.ofShared();
    try {
      ArenaFileLayout layout = new ArenaFileLayout(identity.arenaBytes());
      long size = file.length();
      if (size < layout.fileBytes()) {
        throw new ArenaException(
            "it has %d bytes instead of %d".formatted(size, layout.fileBytes()));
      }
      MemorySegment mapped =
          file.getChannel().map(FileChannel.MapMode.READ_ONLY, 0, size, lifetime);
      ArenaHeader.require(mapped, layout, identity, epoch);
      return new MappedArena(file, lifetime, mapped, layout);
    } catch (ArenaException | IllegalArgumentException | IOException | InternalError refused) {
      lifetime.close();
      file.close();
      throw refused;
    }
  }

  /** Size of the arena. */
  public long byteSize() {
    return bytes.byteSize();
  }

  /** Whether its file was cut off: nothing more can be read. */
  public boolean broken() {
    return broken;
  }

  /**
   * One more use, which must be closed too.
   *
   * @throws IllegalStateException if no use is left
   */
  public MappedArena use() {
    if (uses.getAndUpdate(it -> it == 0 ? 0 : it + 1) == 0) {
      throw new IllegalStateException("The mapping is closed");
    }
    return this;
  }

  /**
   * Copies the bytes that begin there.
   *
   * @param generation that the owner told of them
   * @param copied sees each part of the target once it is copied, in order
   * @return false if they were given out anew meanwhile, or can't be read; the target then holds
   *     anything
   * @throws IndexOutOfBoundsException if there are no such bytes
   */
  public boolean read(
      long offset, int generation, MemorySegment target, Consumer<MemorySegment> copied) {
    MemorySegment source = bytes.asSlice(offset, target.byteSize());
    try {
      for (long at = 0; at < target.byteSize(); at += BLOCK_BYTES) {
        long length = Math.min(BLOCK_BYTES, target.byteSize() - at);
        MemorySegment part = target.asSlice(at, length);
        MemorySegment.copy(source, at, part, 0, length);
        copied.accept(part);
      }
      boolean same = generations.at(offset) == generation;
      // Asking the system also makes the JVM throw what a page that is gone made it keep in mind.
      boolean whole = file.length() >= fileBytes;
      if (!whole) {
        broken = true;
      }
      return same && whole;
    } catch (IOException | InternalError gone) {
      broken = true;
      return false;
    }
  }

  /** Ends one use. */
  @Override
  public void close() {
    if (uses.decrementAndGet() == 0) {
      Thread.ofPlatform().daemon().name("unmap").start(this::unmap);
    }
  }

  private void unmap() {
    lifetime.close();
    try {
      file.close();
    } catch (IOException ignored) {
      // Only read from: nothing is lost.
    }
  }
}
