package io.kvmesh.agent.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.common.key.ChunkKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A cache as it is emptied into another: chunks are held while they are read, then removed. */
public final class ChunkMoves {

  private final ReentrantLock lock;
  private final Condition letGo;

  @GuardedBy("lock")
  private final ResidentSet resident;

  @GuardedBy("lock")
  private final ClaimDesk desk;

  ChunkMoves(ReentrantLock lock, ResidentSet resident, ClaimDesk desk) {
    this.lock = lock;
    this.letGo = lock.newCondition();
    this.resident = resident;
    this.desk = desk;
  }

  /**
   * Holds those of the keys that are resident. It is neither a use nor counted as a lookup.
   *
   * @return the keys of the chunks that are held now, in the order in which the lease has them
   */
  public List<ChunkKey> hold(List<ChunkKey> keys, ChunkLease into) {
    List<ChunkKey> held = new ArrayList<>(keys.size());
    lock.lock();
    try {
      for (ChunkKey key : keys) {
        int slot = resident.find(key);
        if (slot != ChunkTable.NOT_FOUND) {
          resident.hold(slot);
          into.add(slot);
          held.add(key);
        }
      }
    } finally {
      lock.unlock();
    }
    return held;
  }

  /**
   * Removes chunks as moved, each as soon as nobody holds it.
   *
   * @param atMost how long to wait for those who hold some; zero = not at all. An interrupt ends
   *     the wait too, and is kept
   * @return the keys of those that weren't removed since somebody held them to the end
   */
  public List<ChunkKey> remove(List<ChunkKey> keys, Duration atMost) {
    long left = atMost.toNanos();
    lock.lock();
    try {
      List<ChunkKey> kept = removeUnlessHeld(keys);
      while (!kept.isEmpty() && left > 0) {
        left = await(left);
        if (left > 0) {
          kept = removeUnlessHeld(kept);
        }
      }
      return kept;
    } finally {
      lock.unlock();
    }
  }

  /** Waits for a lease to be closed; answers what is left of the time. */
  @SuppressWarnings("WaitNotInLoop") // its caller loops
  @GuardedBy("lock")
  private long await(long nanos) {
    try {
      return letGo.awaitNanos(nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    }
  }

  @GuardedBy("lock")
  private List<ChunkKey> removeUnlessHeld(List<ChunkKey> keys) {
    List<ChunkKey> kept = new ArrayList<>();
    for (ChunkKey key : keys) {
      int slot = resident.find(key);
      if (slot != ChunkTable.NOT_FOUND && !resident.removeUnlessHeld(slot, RemovalCause.MOVED)) {
        kept.add(key);
      }
    }
    desk.serve();
    return kept;
  }

  /** A lease was closed. Called under the cache's lock. */
  void letGo() {
    letGo.signalAll();
  }
}
