package io.kvmesh.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** A directory in shared memory, where the system has some, until it is closed. */
record SharedDirectory(Path path) implements AutoCloseable {

  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  static SharedDirectory make() throws IOException {
    return new SharedDirectory(
        Files.isWritable(SHARED_MEMORY)
            ? Files.createTempDirectory(SHARED_MEMORY, "kvmesh-benchmark")
            : Files.createTempDirectory("kvmesh-benchmark"));
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> files = Files.list(path)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(path);
  }
}
