package io.kvmesh.benchmarks.door;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Memory that is in use now, as Linux tells it.
 *
 * @param processMib of this process, resident
 * @param socketMib of all TCP sockets of the machine, in the kernel
 */
record MemoryUse(long processMib, long socketMib) {

  private static final int KIB_PER_MIB = 1024;

  /** The collector runs before, so that what nobody needs isn't counted. */
  static MemoryUse now() throws IOException {
    System.gc();
    long processKib = Long.parseLong(field(Path.of("/proc/self/status"), "VmRSS:", 1));
    long socketPages = Long.parseLong(field(Path.of("/proc/net/sockstat"), "TCP:", 10));
    return new MemoryUse(processKib / KIB_PER_MIB, socketPages * 4 / KIB_PER_MIB);
  }

  /** A word of the line that begins so. */
  private static String field(Path file, String begin, int number) throws IOException {
    for (String line : Files.readAllLines(file)) {
      if (line.startsWith(begin)) {
        return line.split("\\s+", -1)[number];
      }
    }
    throw new IOException("%s has no line %s".formatted(file, begin));
  }

  @Override
  public String toString() {
    return "%d MiB, and %d MiB of the kernel for all TCP sockets".formatted(processMib, socketMib);
  }
}
