package io.kvmesh.agent.cache.policy;

import java.util.function.IntPredicate;

/**
 * Two queues, each with the least recently used at its head. Newcomers wait in the first. Its head
 * leaves the cache, and its key is remembered, unless it was used twice: then it goes to the second
 * queue. A key that comes back while it is remembered goes to the second queue at once. So what is
 * used again and again is kept from the many that come once.
 *
 * <p>The first queue's share of the cache can be changed at any time, and costs nothing. With a
 * share of 1 both queues are one: the victim is the least recently used of all.
 *
 * <p>A relative of 2Q (Johnson and Shasha, VLDB 1994).
 */
final class ReuseOrder implements EvictionPolicy {

  static final int NEWCOMERS = 0;
  static final int REUSED = 1;
  static final int USES_TO_STAY = 2;

  /** For how many times the cache's size a key is remembered, counted in keys. */
  static final int GHOSTS = 3;

  private final SlotQueues queues;
  private final GhostTable ghosts;
  private final long[] keyHashes;
  private final byte[] uses;
  private final int slots;
  private int newcomersTarget;
  private int lastVictim = SlotQueues.NONE;

  ReuseOrder(int slots, double share) {
    this.queues = new SlotQueues(slots, 2);
    this.ghosts = new GhostTable((int) Math.min(Integer.MAX_VALUE, (long) GHOSTS * slots));
    this.keyHashes = new long[slots];
    this.uses = new byte[slots];
    this.slots = slots;
    setShare(share);
  }

  /** The share of the cache that newcomers have, more than 0 and at most 1. */
  void setShare(double share) {
    newcomersTarget = (int) (share * slots);
  }

  /** As it was passed to {@link #added}. */
  long keyHash(int slot) {
    return keyHashes[slot];
  }

  @Override
  public void added(int slot, long keyHash) {
    keyHashes[slot] = keyHash;
    uses[slot] = 0;
    queues.append(ghosts.remove(keyHash) ? REUSED : NEWCOMERS, slot);
  }

  @Override
  public void used(int slot) {
    uses[slot] = (byte) Math.min(USES_TO_STAY, uses[slot] + 1);
    queues.append(queues.queue(slot), slot);
  }

  @Override
  public void removed(int slot) {
    if (slot == lastVictim && queues.queue(slot) == NEWCOMERS) {
      ghosts.add(keyHashes[slot]);
    }
    lastVictim = SlotQueues.NONE;
    queues.remove(slot);
  }

  @Override
  public int victim(IntPredicate mayGo) {
    lastVictim = newcomersTarget == slots ? leastRecent(mayGo) : fromOneQueue(mayGo);
    return lastVictim;
  }

  private int leastRecent(IntPredicate mayGo) {
    int slot = SlotQueues.NONE;
    do {
      if (slot != SlotQueues.NONE) {
        queues.setAside(slot);
      }
      slot = queues.older(queues.oldest(NEWCOMERS), queues.oldest(REUSED));
    } while (slot != SlotQueues.NONE && !mayGo.test(slot));
    return slot;
  }

  private int fromOneQueue(IntPredicate mayGo) {
    boolean newcomersFirst = hasTooManyNewcomers() || queues.size(REUSED) == 0;
    int victim = newcomersFirst ? fromNewcomers(mayGo) : fromReused(mayGo);
    if (victim != SlotQueues.NONE) {
      return victim;
    }
    return newcomersFirst ? fromReused(mayGo) : fromNewcomers(mayGo);
  }

  private boolean hasTooManyNewcomers() {
    return queues.size(NEWCOMERS) > newcomersTarget;
  }

  private int fromNewcomers(IntPredicate mayGo) {
    for (int slot = queues.oldest(NEWCOMERS); slot >= 0; slot = queues.oldest(NEWCOMERS)) {
      if (uses[slot] >= USES_TO_STAY) {
        queues.append(REUSED, slot);
        int other = hasTooManyNewcomers() ? SlotQueues.NONE : fromReused(mayGo);
        if (other != SlotQueues.NONE) {
          return other;
        }
      } else if (mayGo.test(slot)) {
        return slot;
      } else {
        queues.setAside(slot);
      }
    }
    return SlotQueues.NONE;
  }

  private int fromReused(IntPredicate mayGo) {
    for (int slot = queues.oldest(REUSED); slot >= 0; slot = queues.oldest(REUSED)) {
      if (mayGo.test(slot)) {
        return slot;
      }
      queues.setAside(slot);
    }
    return SlotQueues.NONE;
  }

  @Override
  public void restored(int slot) {
    queues.restore(slot);
  }

  @Override
  public int tier(int slot) {
    return newcomersTarget == slots ? 0 : queues.queue(slot);
  }

  @Override
  public long position(int slot) {
    return queues.stamp(slot);
  }
}
