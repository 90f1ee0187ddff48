package io.kvmesh.agent.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * Maps anonymous memory with mmap. Arena.allocate would zero, and so touch, every page at once:
 * seconds for each GiB. Where the system isn't Linux, it is what remains.
 */
final class AnonymousMemory {

  private static final int PROT_READ_WRITE = 0x3;
  private static final int MAP_PRIVATE_ANONYMOUS_NORESERVE = 0x02 | 0x20 | 0x4000;
  private static final long MAP_FAILED = -1;
  private static final long SYSTEM_PAGE_BYTES = 4096;
  private static final boolean LINUX = System.getProperty("os.name", "").equals("Linux");

  private AnonymousMemory() {}

  /** Memory that is unmapped when {@code lifetime} closes. */
  @SuppressWarnings("restricted")
  static MemorySegment map(long byteSize, Arena lifetime) {
    if (!LINUX) {
      return allocate(byteSize, lifetime);
    }
    long address = Calls.mmap(byteSize);
    return MemorySegment.ofAddress(address)
        .reinterpret(byteSize, lifetime, region -> Calls.munmap(region.address(), byteSize));
  }

  private static MemorySegment allocate(long byteSize, Arena lifetime) {
    try {
      return lifetime.allocate(byteSize, SYSTEM_PAGE_BYTES);
    } catch (OutOfMemoryError refused) {
      throw new ArenaException("No memory for an arena of %d bytes".formatted(byteSize), refused);
    }
  }

  /** The two functions of the C library, bound once. */
  private static final class Calls {

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO =
        STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle MMAP =
        handle(
            "mmap",
            FunctionDescriptor.of(
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_LONG));
    private static final MethodHandle MUNMAP =
        handle(
            "munmap",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));

    private Calls() {}

    @SuppressWarnings("restricted")
    private static MethodHandle handle(String name, FunctionDescriptor signature) {
      return LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow(name),
          signature,
          Linker.Option.captureCallState("errno"));
    }

    static long mmap(long byteSize) {
      try (Arena call = Arena.ofConfined()) {
        MemorySegment state = call.allocate(STATE);
        long address =
            (long)
                MMAP.invokeExact(
                    state, 0L, byteSize, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS_NORESERVE, -1, 0L);
        if (address == MAP_FAILED) {
          throw new ArenaException(
              "No memory for an arena of %d bytes: mmap failed with errno %d"
                  .formatted(byteSize, (int) ERRNO.get(state, 0L)));
        }
        return address;
      } catch (ArenaException refused) {
        throw refused;
      } catch (Throwable unexpected) {
        throw new LinkageError("mmap could not be called", unexpected);
      }
    }

    static void munmap(long address, long byteSize) {
      try (Arena call = Arena.ofConfined()) {
        int result = (int) MUNMAP.invokeExact(call.allocate(STATE), address, byteSize);
        if (result != 0) {
          throw new ArenaException("munmap of %d bytes failed".formatted(byteSize));
        }
      } catch (ArenaException refused) {
        throw refused;
      } catch (Throwable unexpected) {
        throw new LinkageError("munmap could not be called", unexpected);
      }
    }
  }
}
