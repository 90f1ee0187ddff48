package io.kvmesh.agent.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.IntSupplier;

/**
 * Asks the system for the features of memory that is mapped: in this order, since pages are placed
 * when they are backed, and locked when they are placed.
 */
final class ArenaFeatures {

  private static final long SMALLEST_PAGE_BYTES = 4096;
  private static final String NOT_LINUX = "only Linux has it";

  private final ArenaOptions options;
  private final MemorySegment memory;

  ArenaFeatures(ArenaOptions options, MemorySegment memory) {
    this.options = options;
    this.memory = memory;
  }

  void askFor(FeatureRequests requests) {
    boolean hugetlb = requests.had(MemoryFeature.HUGETLB);
    requests.ask(MemoryFeature.NUMA, () -> called("mbind", this::bind));
    requests.ask(MemoryFeature.HUGE_PAGES, () -> hugetlb ? "" : adviseHugePages());
    requests.ask(MemoryFeature.PREFAULT, this::backAll);
    requests.ask(
        MemoryFeature.LOCKED, () -> called("mlock2", () -> LinuxMemory.lockOnFault(memory)));
  }

  private int bind() {
    return LinuxMemory.bindToNode(memory, options.numaNode().orElseThrow());
  }

  private String adviseHugePages() {
    boolean shared = options.file().isPresent();
    String never = SystemMemory.ofThisHost().whyNoTransparentHugePages(shared);
    return never.isEmpty()
        ? called("madvise", () -> LinuxMemory.advise(memory, LinuxMemory.MADV_HUGEPAGE))
        : never;
  }

  private String backAll() {
    int errno =
        LinuxMemory.HERE
            ? LinuxMemory.advise(memory, LinuxMemory.MADV_POPULATE_WRITE)
            : LinuxMemory.EINVAL;
    if (errno == LinuxMemory.EINVAL) {
      touchAll();
      return "";
    }
    return refused("madvise", errno);
  }

  /** The memory is new, so it is all zeros. */
  private void touchAll() {
    for (long at = 0; at < memory.byteSize(); at += SMALLEST_PAGE_BYTES) {
      memory.set(ValueLayout.JAVA_BYTE, at, (byte) 0);
    }
  }

  private static String called(String function, IntSupplier call) {
    return LinuxMemory.HERE ? refused(function, call.getAsInt()) : NOT_LINUX;
  }

  private static String refused(String function, int errno) {
    return errno == 0 ? "" : function + " failed with " + LinuxMemory.errnoText(errno);
  }
}
