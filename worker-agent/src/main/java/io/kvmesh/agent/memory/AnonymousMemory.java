package io.kvmesh.agent.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Maps anonymous memory with mmap. Arena.allocate would zero, and so touch, every page at once:
 * seconds for each GiB. Where the system isn't Linux, it is what remains.
 */
final class AnonymousMemory {

  /** At which transparent huge pages begin, on x86-64 and on ARM with pages of 4 KiB. */
  private static final long HUGE_PAGE_BYTES = 2L << 20;

  /** A multiple of the system's page size, whichever it is. */
  private static final long PAGE_MULTIPLE = 64L << 10;

  private static final long FALLBACK_ALIGNMENT = 4096;

  private AnonymousMemory() {}

  /** Memory that is unmapped when {@code lifetime} closes; of huge pages where asked and had. */
  static MemorySegment map(ArenaOptions options, FeatureRequests requests, Arena lifetime) {
    HugetlbMapping huge = new HugetlbMapping(options.byteSize());
    if (requests.ask(MemoryFeature.HUGETLB, huge::attempt)) {
      return segment(huge.address, options.byteSize(), huge.mappedBytes, lifetime);
    }
    return map(options.byteSize(), lifetime);
  }

  private static MemorySegment map(long byteSize, Arena lifetime) {
    if (!LinuxMemory.HERE) {
      return allocate(byteSize, lifetime);
    }
    long address =
        byteSize < HUGE_PAGE_BYTES || byteSize > Long.MAX_VALUE / 2
            ? LinuxMemory.mapAnonymous(byteSize)
            : mapAligned(byteSize);
    if (address < 0) {
      throw new ArenaException(
          "No memory for an arena of %d bytes: mmap failed with %s"
              .formatted(byteSize, LinuxMemory.errnoText((int) -address)));
    }
    return segment(address, byteSize, byteSize, lifetime);
  }

  /** Maps more than is needed, and unmaps what lies before and after. */
  private static long mapAligned(long byteSize) {
    long needed = roundedUp(byteSize, PAGE_MULTIPLE);
    long mapped = LinuxMemory.mapAnonymous(needed + HUGE_PAGE_BYTES);
    if (mapped < 0) {
      return mapped;
    }
    long address = roundedUp(mapped, HUGE_PAGE_BYTES);
    unmap(mapped, address - mapped);
    unmap(address + needed, mapped + HUGE_PAGE_BYTES - address);
    return address;
  }

  @SuppressWarnings("restricted")
  private static MemorySegment segment(
      long address, long byteSize, long mappedBytes, Arena lifetime) {
    return MemorySegment.ofAddress(address)
        .reinterpret(byteSize, lifetime, region -> unmap(region.address(), mappedBytes));
  }

  private static void unmap(long address, long byteSize) {
    int errno = byteSize == 0 ? 0 : LinuxMemory.unmap(address, byteSize);
    if (errno != 0) {
      throw new ArenaException(
          "munmap of %d bytes failed with %s".formatted(byteSize, LinuxMemory.errnoText(errno)));
    }
  }

  private static MemorySegment allocate(long byteSize, Arena lifetime) {
    try {
      return lifetime.allocate(byteSize, FALLBACK_ALIGNMENT);
    } catch (OutOfMemoryError refused) {
      throw new ArenaException("No memory for an arena of %d bytes".formatted(byteSize), refused);
    }
  }

  private static long roundedUp(long value, long multiple) {
    return (value + multiple - 1) & -multiple;
  }

  /** An attempt to map huge pages that the administrator set aside. */
  private static final class HugetlbMapping {

    private final long byteSize;
    private long address;
    private long mappedBytes;

    HugetlbMapping(long byteSize) {
      this.byteSize = byteSize;
    }

    String attempt() {
      long hugePageBytes = LinuxMemory.HERE ? SystemMemory.ofThisHost().hugePageBytes() : 0;
      if (hugePageBytes == 0) {
        return "this system has no huge pages";
      }
      mappedBytes = roundedUp(byteSize, hugePageBytes);
      address = LinuxMemory.mapHugetlb(mappedBytes);
      return address >= 0
          ? ""
          : "mmap of %d bytes in pages of %d failed with %s; /proc/sys/vm/nr_hugepages sets them aside"
              .formatted(mappedBytes, hugePageBytes, LinuxMemory.errnoText((int) -address));
    }
  }
}
