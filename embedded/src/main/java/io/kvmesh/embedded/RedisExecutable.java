package io.kvmesh.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import redis.embedded.core.ExecutableProvider;

/** Finds a redis-server that runs on this machine: the bundled one, else an installed one. */
final class RedisExecutable {

  private static final String NAME = "redis-server";

  private RedisExecutable() {}

  /**
   * @param dir where the bundled executable is unpacked to
   * @throws IOException saying what to install, when none runs
   */
  static Path find(Path dir) throws IOException {
    String bundledFault;
    try {
      Path bundled = unpack(dir);
      bundledFault = faultOf(bundled);
      if (bundledFault == null) {
        return bundled;
      }
    } catch (IOException | RuntimeException e) {
      bundledFault = String.valueOf(e.getMessage());
    }
    Path installed = installed();
    if (installed != null && faultOf(installed) == null) {
      return installed;
    }
    throw new IOException(
        ("the bundled Redis cannot run on this machine (%s) and no redis-server is installed:"
                + " install OpenSSL 3 (libssl3) or redis-server")
            .formatted(bundledFault));
  }

  private static Path unpack(Path dir) throws IOException {
    Path target = dir.resolve(NAME);
    if (!Files.isExecutable(target)) {
      Path unpacking = Files.createTempDirectory(dir, "unpack");
      Path unpacked = ExecutableProvider.newJarResourceProvider(unpacking.toFile()).get().toPath();
      Files.move(unpacked, target, StandardCopyOption.ATOMIC_MOVE);
      Files.delete(unpacking);
    }
    return target;
  }

  /** Why {@code executable} does not run here, or null when it does. */
  private static @Nullable String faultOf(Path executable) throws IOException {
    Process process =
        new ProcessBuilder(executable.toString(), "--version").redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return "it hangs";
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    return process.exitValue() == 0 ? null : said.strip().lines().findFirst().orElse("no reason");
  }

  private static @Nullable Path installed() {
    String path = System.getenv("PATH");
    if (path == null) {
      return null;
    }
    for (String folder : path.split(java.io.File.pathSeparator, -1)) {
      Path candidate = Path.of(folder).resolve(NAME);
      if (Files.isExecutable(candidate)) {
        return candidate;
      }
    }
    return null;
  }
}
