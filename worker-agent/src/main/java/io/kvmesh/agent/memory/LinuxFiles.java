package io.kvmesh.agent.memory;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Map;

/** The system calls on files that Java has no call for; numbers are those of Linux. */
final class LinuxFiles {

  private static final int O_RDONLY = 0;
  private static final int O_NONBLOCK = 0x800;
  private static final int O_CLOEXEC = 0x80000;
  private static final Map<String, Integer> O_NOFOLLOW =
      Map.of("amd64", 0x20000, "aarch64", 0x8000);

  private LinuxFiles() {}

  /**
   * Opens what has that name, unless it is a link, and without waiting for anybody at its other
   * end: its descriptor, or the errno, negative.
   */
  static int openToRead(String path) {
    Integer noFollow = O_NOFOLLOW.get(System.getProperty("os.arch", ""));
    if (noFollow == null) {
      return -LinuxMemory.ENOSYS;
    }
    try (Arena call = Arena.ofConfined()) {
      MemorySegment state = call.allocate(LinuxCalls.STATE);
      int flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | noFollow;
      int descriptor = (int) Calls.OPEN.invokeExact(state, call.allocateFrom(path), flags);
      return descriptor < 0 ? -LinuxCalls.errno(state) : descriptor;
    } catch (Throwable unexpected) {
      throw new LinkageError("open could not be called", unexpected);
    }
  }

  /** Closes a descriptor. */
  static void close(int descriptor) {
    try (Arena call = Arena.ofConfined()) {
      int unused = (int) Calls.CLOSE.invokeExact(call.allocate(LinuxCalls.STATE), descriptor);
    } catch (Throwable unexpected) {
      throw new LinkageError("close could not be called", unexpected);
    }
  }

  /** Whose files this process makes. */
  static int effectiveUser() {
    try (Arena call = Arena.ofConfined()) {
      return (int) Calls.GETEUID.invokeExact(call.allocate(LinuxCalls.STATE));
    } catch (Throwable unexpected) {
      throw new LinkageError("geteuid could not be called", unexpected);
    }
  }

  /** Functions of the C library, bound when the first of them is called. */
  private static final class Calls {

    static final MethodHandle OPEN =
        LinuxCalls.handle(
            "open",
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT),
            Linker.Option.firstVariadicArg(2));
    static final MethodHandle CLOSE =
        LinuxCalls.handle("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    static final MethodHandle GETEUID =
        LinuxCalls.handle("geteuid", FunctionDescriptor.of(JAVA_INT));

    private Calls() {}
  }
}
