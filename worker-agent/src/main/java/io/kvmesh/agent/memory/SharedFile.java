package io.kvmesh.agent.memory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A file of an arena, which others of this user can map. Beside it lies {@code FILE.lock}, locked
 * while the arena lives: a file whose lock is free was left by a process that died, and is replaced
 * by a new one, so that who mapped the old one keeps its bytes. The lock's file stays, since two
 * processes could otherwise each lock one of that name.
 */
final class SharedFile implements AutoCloseable {

  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final Path path;
  private final FileChannel lock;

  private SharedFile(Path path, FileChannel lock) {
    this.path = path;
    this.lock = lock;
  }

  /**
   * Takes the name, and removes what a dead process left under it.
   *
   * @throws ArenaException if another arena has it, something that no arena left has it, or no file
   *     can have it
   */
  static SharedFile claim(Path path) {
    FileChannel lock = null;
    try {
      Path lockPath = path.resolveSibling(path.getFileName() + ".lock");
      if (Files.exists(path) && !Files.exists(lockPath)) {
        throw new IOException("what has that name was left by no arena");
      }
      lock = locked(lockPath);
      Files.deleteIfExists(path);
      return new SharedFile(path, lock);
    } catch (IOException refused) {
      closeQuietly(lock);
      throw new ArenaException(
          "The arena can't have the file %s: %s".formatted(path, refused), refused);
    }
  }

  private static FileChannel locked(Path path) throws IOException {
    FileChannel channel =
        FileChannel.open(
            path, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), OWNER_ONLY);
    try {
      if (channel.tryLock() != null) {
        return channel;
      }
    } catch (OverlappingFileLockException heldByThisProcess) {
      // The same answer as for another process.
    } catch (IOException refused) {
      closeQuietly(channel);
      throw refused;
    }
    closeQuietly(channel);
    throw new IOException("another arena that is in use holds " + path);
  }

  /** Whether it lies on hugetlbfs; if not, what it lies on. */
  String whyNotHugetlb() {
    String type = store().type();
    return type.equals("hugetlbfs") ? "" : "%s is on %s, not on hugetlbfs".formatted(path, type);
  }

  /** All of a new file, unmapped when {@code lifetime} closes. */
  MemorySegment map(ArenaFileLayout layout, Arena lifetime) {
    long mapped = whyNotHugetlb().isEmpty() ? wholeHugePages(layout) : requireRoom(layout);
    try (FileChannel channel =
        FileChannel.open(
            path,
            Set.of(
                StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
            OWNER_ONLY)) {
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, mapped, lifetime);
    } catch (IOException refused) {
      throw new ArenaException(
          "No arena of %d bytes in the file %s: %s".formatted(layout.arenaBytes(), path, refused),
          refused);
    }
  }

  /** A write to a page that a full tmpfs can't back would end this process. */
  private long requireRoom(ArenaFileLayout layout) {
    long byteSize = layout.fileBytes();
    try {
      FileStore store = store();
      if (store.getTotalSpace() > 0 && store.getUsableSpace() < byteSize) {
        throw new ArenaException(
            "No arena of %d bytes in the file %s of %d bytes: its file system has %d bytes free of %d"
                .formatted(
                    layout.arenaBytes(),
                    path,
                    byteSize,
                    store.getUsableSpace(),
                    store.getTotalSpace()));
      }
      return byteSize;
    } catch (IOException refused) {
      throw new ArenaException("No free space is known of %s".formatted(path), refused);
    }
  }

  private static long wholeHugePages(ArenaFileLayout layout) {
    long hugePageBytes = Math.max(1, SystemMemory.ofThisHost().hugePageBytes());
    return Math.ceilDiv(layout.fileBytes(), hugePageBytes) * hugePageBytes;
  }

  private FileStore store() {
    try {
      return Files.getFileStore(path.toAbsolutePath().getParent());
    } catch (IOException refused) {
      throw new ArenaException("The file system of %s isn't known".formatted(path), refused);
    }
  }

  /** Nobody can map it any more; who has mapped it keeps its bytes. Idempotent. */
  void remove() {
    if (!lock.isOpen()) {
      return;
    }
    try {
      Files.deleteIfExists(path);
    } catch (IOException refused) {
      throw new ArenaException("The arena's file %s stays".formatted(path), refused);
    }
  }

  /** Removes it and gives up its name. Idempotent. */
  @Override
  public void close() {
    try {
      remove();
    } finally {
      closeQuietly(lock);
    }
  }

  private static void closeQuietly(@Nullable FileChannel channel) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException ignored) {
        // The lock is gone in any case.
      }
    }
  }
}
