package io.kvmesh.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A directory that goes, with all that is in it, when this is closed. */
public record ScratchDirectory(Path path) implements AutoCloseable {

  private static final String PREFIX = "kvmesh-benchmark";
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  /** One for files. */
  public static ScratchDirectory make() throws IOException {
    return new ScratchDirectory(Files.createTempDirectory(PREFIX));
  }

  /** One in shared memory, where the system has some. */
  static ScratchDirectory inSharedMemory() throws IOException {
    return Files.isWritable(SHARED_MEMORY)
        ? new ScratchDirectory(Files.createTempDirectory(SHARED_MEMORY, PREFIX))
        : make();
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> files = Files.walk(path)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
