package io.kvmesh.agent.memory;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/** How functions of the C library are bound and tell their errno. */
final class LinuxCalls {

  /** What each call has as its first argument. */
  static final StructLayout STATE = Linker.Option.captureStateLayout();

  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private LinuxCalls() {}

  @SuppressWarnings("restricted")
  static MethodHandle handle(String name, FunctionDescriptor signature, Linker.Option... more) {
    List<Linker.Option> options = new ArrayList<>(List.of(more));
    options.add(Linker.Option.captureCallState("errno"));
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(name), signature, options.toArray(Linker.Option[]::new));
  }

  static int errno(MemorySegment state) {
    return (int) ERRNO.get(state, 0L);
  }
}
