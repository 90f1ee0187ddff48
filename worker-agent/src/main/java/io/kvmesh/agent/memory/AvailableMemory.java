package io.kvmesh.agent.memory;

import java.nio.file.Path;

/** How much memory this process could still take. */
public sealed interface AvailableMemory {

  /**
   * @param source what says so
   */
  record Known(long bytes, String source) implements AvailableMemory {}

  /** Nothing says so. */
  record Unknown(String reason) implements AvailableMemory {}

  /**
   * Of the host, and of the cgroup of this process and all above it, whichever has least. Page
   * cache that can be given up counts as available.
   */
  static AvailableMemory now() {
    return new MemoryLimits(Path.of("/")).available();
  }

  /** In the pool of hugetlbfs. */
  static AvailableMemory.Known inHugetlb() {
    return new Known(SystemMemory.ofThisHost().freeHugetlbBytes(), "free huge pages");
  }
}
