package io.kvmesh.benchmarks;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A directory that goes, with all that is in it, when this is closed. Its user has a file in it
 * locked: what nobody has locked was left by a run that was killed, and goes when the next one
 * makes its own.
 */
public final class ScratchDirectory implements AutoCloseable {

  private static final String PREFIX = "kvmesh-benchmark";
  private static final String IN_USE = "in-use";
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  private final Path path;
  private final FileChannel inUse;

  private ScratchDirectory(Path path) throws IOException {
    this.path = path;
    this.inUse =
        FileChannel.open(
            path.resolve(IN_USE), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    inUse.lock();
  }

  /** One for files. */
  public static ScratchDirectory make() throws IOException {
    return in(Path.of(System.getProperty("java.io.tmpdir")));
  }

  /** One in shared memory, where the system has some. */
  static ScratchDirectory inSharedMemory() throws IOException {
    return Files.isWritable(SHARED_MEMORY) ? in(SHARED_MEMORY) : make();
  }

  private static ScratchDirectory in(Path parent) throws IOException {
    try (DirectoryStream<Path> others = Files.newDirectoryStream(parent, PREFIX + "*")) {
      for (Path other : others) {
        clearIfLeft(other);
      }
    }
    return new ScratchDirectory(Files.createTempDirectory(parent, PREFIX));
  }

  private static void clearIfLeft(Path other) {
    try (FileChannel lock = FileChannel.open(other.resolve(IN_USE), StandardOpenOption.WRITE)) {
      if (lock.tryLock() != null) {
        delete(other);
      }
    } catch (IOException | OverlappingFileLockException notOurs) {
      // Another user's, one of this run, or one that isn't locked yet.
    }
  }

  /** Where it is. */
  public Path path() {
    return path;
  }

  @Override
  public void close() throws IOException {
    inUse.close();
    delete(path);
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
