package io.kvmesh.agent.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

/**
 * One region of memory off the heap, zeroed, of which the system backs a page when it is first
 * touched. Any thread may read and write it. Closing it unmaps it: an access that comes later fails
 * with an IllegalStateException, so whoever hands out its bytes stops first.
 */
public final class PageArena implements AutoCloseable {

  private static final long MAX_CLOSE_NANOS = 5_000_000_000L;
  private static final long POLL_NANOS = 100_000;

  private final Arena lifetime;
  private final MemorySegment bytes;
  private volatile boolean closing;

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

  /**
   * All of it.
   *
   * @throws IllegalStateException if the arena is closing or closed
   */
  public MemorySegment bytes() {
    if (closing) {
      throw new IllegalStateException("The arena is closing");
    }
    return bytes;
  }

  /** Its size in bytes. */
  public long byteSize() {
    return bytes.byteSize();
  }

  /**
   * Refuses new accesses, then gives the memory back to the system; further calls do nothing. Waits
   * for accesses that are under way in native code, such as a checksum or a write to a socket.
   *
   * @throws ArenaException if one goes on for seconds; the memory is still mapped then
   */
  @Override
  public synchronized void close() {
    closing = true;
    long deadline = System.nanoTime() + MAX_CLOSE_NANOS;
    while (lifetime.scope().isAlive()) {
      try {
        lifetime.close();
      } catch (IllegalStateException inUse) {
        if (System.nanoTime() - deadline > 0) {
          throw new ArenaException("The arena is still in use", inUse);
        }
        // Nothing signals the end of such an access.
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
  }
}
