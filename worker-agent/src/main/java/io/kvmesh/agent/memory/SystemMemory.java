package io.kvmesh.agent.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/** What Linux tells of the memory of this host, in its files. */
final class SystemMemory {

  private static final long KIBIBYTE = 1024;

  private final Path root;

  /**
   * @param root the directory in which {@code proc} and {@code sys} are
   */
  SystemMemory(Path root) {
    this.root = root;
  }

  static SystemMemory ofThisHost() {
    return new SystemMemory(Path.of("/"));
  }

  /** What could be used without swapping. */
  OptionalLong availableBytes() {
    return kibibytes("MemAvailable");
  }

  /** Size of a page of hugetlbfs; 0 = there are none. */
  long hugePageBytes() {
    return kibibytes("Hugepagesize").orElse(0);
  }

  /** Pages of hugetlbfs that nobody uses and nobody has reserved. */
  long freeHugetlbBytes() {
    long pages = meminfo("HugePages_Free").orElse(0) - meminfo("HugePages_Rsvd").orElse(0);
    return Math.max(0, pages) * hugePageBytes();
  }

  /** Why Linux won't make huge pages, whatever it is advised; empty = it may. */
  String whyNoTransparentHugePages(boolean shared) {
    String name = shared ? "shmem_enabled" : "enabled";
    Path file = root.resolve("sys/kernel/mm/transparent_hugepage").resolve(name);
    for (String word : text(file).split("\\s+", -1)) {
      if (word.equals("[never]") || word.equals("[deny]")) {
        return "%s says %s".formatted(file, word);
      }
    }
    return "";
  }

  private OptionalLong kibibytes(String name) {
    OptionalLong value = meminfo(name);
    return value.isPresent() ? OptionalLong.of(value.getAsLong() * KIBIBYTE) : value;
  }

  private OptionalLong meminfo(String name) {
    return value(text(root.resolve("proc/meminfo")), name + ":");
  }

  /** The number after a name in a file of lines {@code NAME NUMBER ...}. */
  static OptionalLong value(String text, String name) {
    for (String line : text.lines().toList()) {
      List<String> words = List.of(line.strip().split("\\s+", -1));
      if (words.size() > 1 && words.getFirst().equals(name)) {
        return number(words.get(1));
      }
    }
    return OptionalLong.empty();
  }

  static OptionalLong number(String text) {
    try {
      return OptionalLong.of(Long.parseLong(text.strip()));
    } catch (NumberFormatException other) {
      return OptionalLong.empty();
    }
  }

  /** A file's text; empty where it can't be read. */
  static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException absent) {
      return "";
    }
  }
}
