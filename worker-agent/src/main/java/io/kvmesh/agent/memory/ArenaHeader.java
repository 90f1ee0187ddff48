package io.kvmesh.agent.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.UUID;

/** The part of an arena's file that describes it; see {@link ArenaFileLayout}. */
final class ArenaHeader {

  private static final VarHandle EPOCH = ValueLayout.JAVA_LONG.varHandle();
  private static final long NOT_TOLD = -1;

  private final MemorySegment header;

  private ArenaHeader(MemorySegment file, ArenaFileLayout layout) {
    header = file.asSlice(layout.headerOffset(), layout.fileBytes() - layout.headerOffset());
  }

  /** Writes it into a new file, all of which is mapped. */
  static ArenaHeader write(MemorySegment file, ArenaFileLayout layout, UUID id) {
    ArenaHeader written = new ArenaHeader(file, layout);
    MemorySegment header = written.header;
    header.set(ValueLayout.JAVA_INT, ArenaFileLayout.FORMAT_AT, ArenaFileLayout.FORMAT);
    header.set(ValueLayout.JAVA_LONG, ArenaFileLayout.ARENA_BYTES_AT, layout.arenaBytes());
    header.set(ValueLayout.JAVA_LONG, ArenaFileLayout.FILE_BYTES_AT, file.byteSize());
    header.set(ValueLayout.JAVA_LONG, ArenaFileLayout.ID_AT, id.getMostSignificantBits());
    header.set(ValueLayout.JAVA_LONG, ArenaFileLayout.ID_AT + 8, id.getLeastSignificantBits());
    written.tellEpoch(NOT_TOLD);
    header.set(ValueLayout.JAVA_LONG, ArenaFileLayout.MAGIC_AT, ArenaFileLayout.MAGIC);
    return written;
  }

  /** The owner's life; any thread. */
  void tellEpoch(long epoch) {
    EPOCH.setVolatile(header, ArenaFileLayout.EPOCH_AT, epoch);
  }

  /**
   * Checks the header of a file that another process made, all of which is mapped.
   *
   * @throws ArenaException if it isn't that of this arena in this life
   */
  static void require(
      MemorySegment file, ArenaFileLayout layout, ArenaIdentity identity, long epoch) {
    ArenaHeader read = new ArenaHeader(file, layout);
    read.requireAt("magic", ArenaFileLayout.MAGIC_AT, ArenaFileLayout.MAGIC);
    requireFormat(read.header.get(ValueLayout.JAVA_INT, ArenaFileLayout.FORMAT_AT));
    read.requireAt("arena's size", ArenaFileLayout.ARENA_BYTES_AT, layout.arenaBytes());
    read.requireAt("file's size", ArenaFileLayout.FILE_BYTES_AT, file.byteSize());
    UUID id = identity.id();
    read.requireAt("id", ArenaFileLayout.ID_AT, id.getMostSignificantBits());
    read.requireAt("id", ArenaFileLayout.ID_AT + 8, id.getLeastSignificantBits());
    requireSame("epoch", (long) EPOCH.getVolatile(read.header, ArenaFileLayout.EPOCH_AT), epoch);
  }

  private static void requireFormat(int format) {
    if (format != ArenaFileLayout.FORMAT) {
      throw new ArenaException(
          "its header says format %d, this version maps format %d only: upgrade the older of the two agents"
              .formatted(format, ArenaFileLayout.FORMAT));
    }
  }

  private void requireAt(String name, long at, long right) {
    requireSame(name, header.get(ValueLayout.JAVA_LONG, at), right);
  }

  private static void requireSame(String name, long found, long right) {
    if (found != right) {
      throw new ArenaException(
          "its header says another %s: %d instead of %d".formatted(name, found, right));
    }
  }
}
