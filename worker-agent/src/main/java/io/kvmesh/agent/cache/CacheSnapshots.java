package io.kvmesh.agent.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.common.key.ChunkKey;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** A cache as it is told to others: its position in its events, and all its chunks. Any thread. */
public final class CacheSnapshots {

  /** From {@link #slice}: there are no further chunks. */
  public static final int END_OF_SLOTS = -1;

  /** Bounds what a slice looks at under the lock where few slots are in use. */
  private static final int SLOTS_PER_KEY = 16;

  private final ReentrantLock lock;

  @GuardedBy("lock")
  private final ResidentSet resident;

  CacheSnapshots(ReentrantLock lock, ResidentSet resident) {
    this.lock = lock;
    this.resident = resident;
  }

  /** Passes the position to somebody who must see it before anything changes: under the lock. */
  public void withPosition(Consumer<LogPosition> underLock) {
    lock.lock();
    try {
      underLock.accept(resident.position());
    } finally {
      lock.unlock();
    }
  }

  /**
   * The keys of resident chunks in the order in which they would go if nothing were used any more;
   * see EvictionPolicy for policies that have no such order. Only a copy is made under the lock.
   *
   * @param most how many, the next to go first
   */
  public List<ChunkKey> keysInPolicyOrder(int most) {
    PolicyOrder order;
    lock.lock();
    try {
      order = resident.walk().order();
    } finally {
      lock.unlock();
    }
    return order.sorted(most);
  }

  /**
   * Cuts the next slice of a walk over all chunks in the order of their slots. A chunk keeps its
   * slot while it is resident; one that comes into a slot already passed is an event after the
   * start of the walk. A slice may be empty.
   *
   * @param fromSlot 0, then what the call before answered
   * @param maxKeys bounds the slice, and with it how long the lock is held
   * @param underLock gets the slice before anything else changes
   * @return where the next slice begins, or {@link #END_OF_SLOTS}
   */
  public int slice(int fromSlot, int maxKeys, Consumer<SnapshotSlice> underLock) {
    lock.lock();
    try {
      SnapshotSlice slice = new SnapshotSlice(resident.position());
      int next = resident.walk().cut(fromSlot, maxKeys, SLOTS_PER_KEY * maxKeys, slice);
      underLock.accept(slice);
      return next;
    } finally {
      lock.unlock();
    }
  }
}
