package io.kvmesh.agent.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.common.key.ChunkKey;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Pins of a cache's chunks. A pinned chunk is held as if a lease of the owner held it, until it is
 * unpinned or the pin's lifetime has passed. Any thread.
 */
public final class ChunkPins {

  private final ReentrantLock lock;
  private final LongSupplier nanoTime;

  @GuardedBy("lock")
  private final PinBook book;

  @GuardedBy("lock")
  private final ClaimDesk desk;

  ChunkPins(ReentrantLock lock, PinBook book, ClaimDesk desk, LongSupplier nanoTime) {
    this.lock = lock;
    this.book = book;
    this.desk = desk;
    this.nanoTime = nanoTime;
  }

  /**
   * Pins the longest resident prefix of the keys. Pinned again by the same owner a chunk is pinned
   * once, and for the whole lifetime from now on. It isn't a use.
   */
  public Pinned pin(PinOwner owner, List<ChunkKey> keys) {
    lock.lock();
    try {
      return book.pin(owner, keys, nanoTime.getAsLong());
    } finally {
      lock.unlock();
    }
  }

  /** Takes off all pins of the owner; answers how many there were. */
  public int unpin(PinOwner owner) {
    lock.lock();
    try {
      int unpinned = book.unpin(owner);
      desk.serve();
      return unpinned;
    } finally {
      lock.unlock();
    }
  }

  /** Takes off the owner's pins of these chunks; answers how many there were. */
  public int unpin(PinOwner owner, List<ChunkKey> keys) {
    lock.lock();
    try {
      int unpinned = book.unpin(owner, keys);
      desk.serve();
      return unpinned;
    } finally {
      lock.unlock();
    }
  }

  /** Takes off all pins of all owners of the group; answers how many there were. */
  public int unpinGroup(String group) {
    lock.lock();
    try {
      int unpinned = book.unpinGroup(group);
      desk.serve();
      return unpinned;
    } finally {
      lock.unlock();
    }
  }

  /** Takes off the pins whose lifetime has passed; answers how many there were. */
  public int expire() {
    lock.lock();
    try {
      int unpinned = book.expire(nanoTime.getAsLong());
      desk.serve();
      return unpinned;
    } finally {
      lock.unlock();
    }
  }
}
