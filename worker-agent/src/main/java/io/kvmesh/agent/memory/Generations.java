package io.kvmesh.agent.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * How often memory was taken back, by where it began, for others who read an arena through its
 * file: who remembers a place and its generation, and finds the same generation after it has copied
 * the bytes, has copied bytes that nobody changed meanwhile. One table entry stands for 4096 bytes;
 * smaller pages share theirs, and then seem to have changed when a neighbour did.
 *
 * <p>Whoever gives the memory out serialises {@link #rise}; {@link #at} may be called from any
 * thread and process. An arena that isn't in a file has none: all are 0.
 */
final class Generations {

  /** Bytes of an arena for one entry. */
  static final int UNIT_BYTES = 4096;

  static final Generations NONE = new Generations(null);

  private static final VarHandle ENTRY = ValueLayout.JAVA_INT.arrayElementVarHandle();

  private final @Nullable MemorySegment table;

  Generations(@Nullable MemorySegment table) {
    this.table = table;
  }

  /** Size of the table of an arena. */
  static long tableBytes(long arenaBytes) {
    return Integer.BYTES * Math.ceilDiv(arenaBytes, (long) UNIT_BYTES);
  }

  /** What began there was taken back; what is written there from now on is written later. */
  void rise(long offset) {
    if (table != null) {
      long unit = offset / UNIT_BYTES;
      ENTRY.setRelease(table, 0L, unit, (int) ENTRY.get(table, 0L, unit) + 1);
      VarHandle.releaseFence();
    }
  }

  /** Read after all that was read before it. */
  int at(long offset) {
    if (table == null) {
      return 0;
    }
    VarHandle.acquireFence();
    return (int) ENTRY.getAcquire(table, 0L, offset / UNIT_BYTES);
  }
}
