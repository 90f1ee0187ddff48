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
   * @param atMost how long to wait for those who hold some; zero = not at all
   * @return the keys of those that are still resident since somebody still holds them
   */
  public List<ChunkKey> remove(List<ChunkKey> keys, Duration atMost) throws InterruptedException {
    long left = atMost.toNanos();
    lock.lockInterruptibly();
    try {
      List<ChunkKey> kept = removeUnlessHeld(keys);
      while (!kept.isEmpty() && left > 0) {
        left = letGo.awaitNanos(left);
        kept = removeUnlessHeld(kept);
      }
      return kept;
    } finally {
      lock.unlock();
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
