package io.kvmesh.agent.memory;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Map;

/**
 * The system calls on memory, through the C library. Each answers 0 or the errno with which it was
 * refused; numbers are those of Linux.
 */
final class LinuxMemory {

  static final boolean HERE = System.getProperty("os.name", "").equals("Linux");

  static final int MADV_HUGEPAGE = 14;

  /** Since Linux 5.14. */
  static final int MADV_POPULATE_WRITE = 23;

  static final int EINVAL = 22;
  static final int ENOSYS = 38;

  private static final int PROT_READ_WRITE = 0x3;
  private static final int MAP_PRIVATE_ANONYMOUS = 0x02 | 0x20;
  private static final int MAP_NORESERVE = 0x4000;
  private static final int MAP_HUGETLB = 0x40000;
  private static final long MAP_FAILED = -1;
  private static final int MLOCK_ONFAULT = 1;
  private static final int MPOL_BIND = 2;
  private static final int LONG_BITS = 64;

  /** Number of mbind, for which the C library has no function. */
  private static final Map<String, Long> MBIND = Map.of("amd64", 237L, "aarch64", 235L);

  private static final Map<Integer, String> ERRNO_NAMES =
      Map.of(
          1,
          "EPERM",
          2,
          "ENOENT",
          11,
          "EAGAIN",
          12,
          "ENOMEM",
          13,
          "EACCES",
          14,
          "EFAULT",
          EINVAL,
          "EINVAL",
          ENOSYS,
          "ENOSYS",
          95,
          "EOPNOTSUPP",
          40,
          "ELOOP");

  private LinuxMemory() {}

  /** Anonymous memory: its address, or the errno, negative. */
  static long mapAnonymous(long byteSize) {
    return map(byteSize, MAP_PRIVATE_ANONYMOUS | MAP_NORESERVE);
  }

  /**
   * Anonymous memory of huge pages, reserved at once so that a first use can't fail: its address,
   * or the errno, negative.
   *
   * @param byteSize whole huge pages
   */
  static long mapHugetlb(long byteSize) {
    return map(byteSize, MAP_PRIVATE_ANONYMOUS | MAP_HUGETLB);
  }

  private static long map(long byteSize, int flags) {
    try (Arena call = Arena.ofConfined()) {
      MemorySegment state = call.allocate(LinuxCalls.STATE);
      long address =
          (long) Calls.MMAP.invokeExact(state, 0L, byteSize, PROT_READ_WRITE, flags, -1, 0L);
      return address == MAP_FAILED ? -LinuxCalls.errno(state) : address;
    } catch (Throwable unexpected) {
      throw new LinkageError("mmap could not be called", unexpected);
    }
  }

  static int unmap(long address, long byteSize) {
    try (Arena call = Arena.ofConfined()) {
      MemorySegment state = call.allocate(LinuxCalls.STATE);
      int result = (int) Calls.MUNMAP.invokeExact(state, address, byteSize);
      return result == 0 ? 0 : LinuxCalls.errno(state);
    } catch (Throwable unexpected) {
      throw new LinkageError("munmap could not be called", unexpected);
    }
  }

  static int advise(MemorySegment memory, int advice) {
    try (Arena call = Arena.ofConfined()) {
      MemorySegment state = call.allocate(LinuxCalls.STATE);
      int result = (int) Calls.MADVISE.invokeExact(state, memory, memory.byteSize(), advice);
      return result == 0 ? 0 : LinuxCalls.errno(state);
    } catch (Throwable unexpected) {
      throw new LinkageError("madvise could not be called", unexpected);
    }
  }

  /** Locks each page from when it is backed. */
  static int lockOnFault(MemorySegment memory) {
    try (Arena call = Arena.ofConfined()) {
      MemorySegment state = call.allocate(LinuxCalls.STATE);
      int result = (int) Calls.MLOCK2.invokeExact(state, memory, memory.byteSize(), MLOCK_ONFAULT);
      return result == 0 ? 0 : LinuxCalls.errno(state);
    } catch (Throwable unexpected) {
      throw new LinkageError("mlock2 could not be called", unexpected);
    }
  }

  /** Takes pages that are backed from now on from this NUMA node alone. */
  static int bindToNode(MemorySegment memory, int node) {
    Long number = MBIND.get(System.getProperty("os.arch", ""));
    if (number == null) {
      return ENOSYS;
    }
    try (Arena call = Arena.ofConfined()) {
      int words = node / LONG_BITS + 1;
      MemorySegment mask = call.allocate(JAVA_LONG, words);
      mask.setAtIndex(JAVA_LONG, node / LONG_BITS, 1L << (node % LONG_BITS));
      // The kernel reads one bit less than it is told.
      long maskBits = (long) words * LONG_BITS + 1;
      MemorySegment state = call.allocate(LinuxCalls.STATE);
      long result =
          (long)
              Calls.SYSCALL.invokeExact(
                  state,
                  (long) number,
                  memory,
                  memory.byteSize(),
                  (long) MPOL_BIND,
                  mask,
                  maskBits,
                  0L);
      return result == 0 ? 0 : LinuxCalls.errno(state);
    } catch (Throwable unexpected) {
      throw new LinkageError("mbind could not be called", unexpected);
    }
  }

  /** As in {@code errno 12 (ENOMEM)}. */
  static String errnoText(int errno) {
    String name = ERRNO_NAMES.get(errno);
    return "errno " + errno + (name == null ? "" : " (" + name + ")");
  }

  /** Functions of the C library, bound when the first of them is called. */
  private static final class Calls {

    static final MethodHandle MMAP =
        LinuxCalls.handle(
            "mmap",
            FunctionDescriptor.of(
                JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    static final MethodHandle MUNMAP =
        LinuxCalls.handle("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    static final MethodHandle MADVISE =
        LinuxCalls.handle("madvise", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    static final MethodHandle MLOCK2 =
        LinuxCalls.handle("mlock2", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    static final MethodHandle SYSCALL =
        LinuxCalls.handle(
            "syscall",
            FunctionDescriptor.of(
                JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG),
            Linker.Option.firstVariadicArg(1));

    private Calls() {}
  }
}
