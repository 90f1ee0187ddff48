package io.kvmesh.agent.transfer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.agent.cache.ChunkLease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * What moves to this agent have brought. It is held until the sender says that the move is over, so
 * that no part of a move is evicted for the next, and what the sender has removed on our receipt is
 * still here. A time bounds each hold, begun anew with each push of the move; the sender knows it
 * and removes nothing after it. Bounded by chunks over all moves; so is what may give way here to
 * the chunks of senders that are going. Any thread.
 */
final class MoveHolds {

  /** A move, by who makes it and its number. */
  record Id(String sender, long move) {}

  private static final class Hold {
    private final List<ChunkLease> leases = new ArrayList<>();
    private long untilNanos;
    private int displaced;
  }

  private final int most;
  private final int mostDisplaced;
  private final long nanos;
  private final LongSupplier nanoTime;

  /** No other lock is taken under it: leases are closed after it is let go. */
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Map<Id, Hold> byMove = new HashMap<>();

  @GuardedBy("lock")
  private int chunks;

  @GuardedBy("lock")
  private int displaced;

  /**
   * @param most chunks that may be held
   * @param mostDisplaced chunks that may have given way for what is held
   * @param time for which what a push brought is held
   */
  MoveHolds(int most, int mostDisplaced, Duration time, LongSupplier nanoTime) {
    this.most = most;
    this.mostDisplaced = mostDisplaced;
    this.nanos = time.toNanos();
    this.nanoTime = nanoTime;
  }

  /** Sets aside as much of the bound as there is, at most {@code wanted}; answers how much. */
  int reserve(int wanted) {
    lock.lock();
    try {
      int granted = Math.max(0, Math.min(wanted, most - chunks));
      chunks += granted;
      return granted;
    } finally {
      lock.unlock();
    }
  }

  /** Gives back what was set aside. */
  void giveBack(int reserved) {
    lock.lock();
    try {
      chunks -= reserved;
    } finally {
      lock.unlock();
    }
  }

  /** As above, of the chunks that may give way. */
  int reserveDisplaced(int wanted) {
    lock.lock();
    try {
      int granted = Math.max(0, Math.min(wanted, mostDisplaced - displaced));
      displaced += granted;
      return granted;
    } finally {
      lock.unlock();
    }
  }

  /** Gives back what was set aside of these. */
  void giveBackDisplaced(int reserved) {
    lock.lock();
    try {
      displaced -= reserved;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes over a lease, and holds all of the move for the whole time from now on. Of one that holds
   * nothing nothing is kept.
   *
   * @param reserved what was set aside for it, no less than it holds
   * @param gaveWay how many chunks gave way for it, set aside before; they count until its end
   */
  void keep(Id id, ChunkLease lease, int reserved, int gaveWay) {
    boolean empty = lease.size() == 0;
    lock.lock();
    try {
      chunks += lease.size() - reserved;
      Hold hold = empty ? byMove.get(id) : byMove.computeIfAbsent(id, none -> new Hold());
      if (hold == null) {
        displaced -= gaveWay;
      } else {
        hold.displaced += gaveWay;
        hold.untilNanos = nanoTime.getAsLong() + nanos;
        if (!empty) {
          hold.leases.add(lease);
        }
      }
    } finally {
      lock.unlock();
    }
    if (empty) {
      lease.close();
    }
  }

  /** A move is over; answers whether anything was held for it. */
  boolean end(Id id) {
    List<ChunkLease> freed = new ArrayList<>();
    lock.lock();
    try {
      Hold hold = byMove.remove(id);
      if (hold == null) {
        return false;
      }
      free(hold, freed);
    } finally {
      lock.unlock();
    }
    freed.forEach(ChunkLease::close);
    return true;
  }

  /** Ends the moves whose time has passed; answers how many. */
  int expire() {
    return endThose(false);
  }

  /** Ends all. */
  void endAll() {
    endThose(true);
  }

  private int endThose(boolean all) {
    List<ChunkLease> freed = new ArrayList<>();
    int ended = 0;
    lock.lock();
    try {
      long now = nanoTime.getAsLong();
      Iterator<Hold> holds = byMove.values().iterator();
      while (holds.hasNext()) {
        Hold hold = holds.next();
        if (all || hold.untilNanos - now <= 0) {
          holds.remove();
          free(hold, freed);
          ended++;
        }
      }
    } finally {
      lock.unlock();
    }
    freed.forEach(ChunkLease::close);
    return ended;
  }

  @GuardedBy("lock")
  private void free(Hold hold, List<ChunkLease> into) {
    hold.leases.forEach(lease -> into.add(lease));
    displaced -= hold.displaced;
    for (ChunkLease lease : hold.leases) {
      chunks -= lease.size();
    }
  }

  /** Chunks that are held or set aside. */
  int chunks() {
    lock.lock();
    try {
      return chunks;
    } finally {
      lock.unlock();
    }
  }
}
