package io.kvmesh.agent.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * One region of memory off the heap, zeroed, of which the system backs a page when it is first
 * touched. Any thread may read and write it. Closing it unmaps it: an access that comes later fails
 * with an IllegalStateException, so whoever hands out its bytes stops first.
 */
public final class PageArena implements AutoCloseable {

  private final Arena lifetime;
  private final MemorySegment bytes;

  private PageArena(Arena lifetime, MemorySegment bytes) {
    this.lifetime = lifetime;
    this.bytes = bytes;
  }

  /**
   * Anonymous memory of this process alone.
   *
   * @throws ArenaException if the system doesn't grant that much
   */
  @SuppressWarnings("MustBeClosedChecker") // the arena closes it
  public static PageArena anonymous(long byteSize) {
    if (byteSize < 1) {
      throw new IllegalArgumentException("An arena has at least 1 byte, got " + byteSize);
    }
    Arena lifetime = Arena.ofShared();
    try {
      return new PageArena(lifetime, AnonymousMemory.map(byteSize, lifetime));
    } catch (ArenaException refused) {
      lifetime.close();
      throw refused;
    }
  }

  /** All of it. */
  public MemorySegment bytes() {
    return bytes;
  }

  /** Its size in bytes. */
  public long byteSize() {
    return bytes.byteSize();
  }

  /** Gives the memory back to the system; further calls do nothing. */
  @Override
  public synchronized void close() {
    if (lifetime.scope().isAlive()) {
      lifetime.close();
    }
  }
}
