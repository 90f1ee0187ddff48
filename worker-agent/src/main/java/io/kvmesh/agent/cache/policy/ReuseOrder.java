package io.kvmesh.agent.cache.policy;

import java.util.function.IntPredicate;

/**
 * Two queues, each with the least recently used at its head: a newcomer that was used twice is
 * kept.
 *
 * <p>The newcomers' share of the cache can be changed at any time, and costs nothing. With a share
 * of 1 both queues are one: the victim is the least recently used of all.
 *
 * <p>A relative of 2Q (Johnson and Shasha, VLDB 1994).
 */
final class ReuseOrder extends TwoQueuePolicy {

  static final int USES_TO_STAY = 2;

  /** For how many times the cache's size a key is remembered, counted in keys. */
  static final int GHOSTS = 3;

  private final int size;
  private boolean leastRecentOfAll;

  /**
   * @param size entries of a full cache
   * @param share see {@link #setShare}
   */
  ReuseOrder(int slots, int size, double share) {
    super(
        slots,
        (int) Math.min(Integer.MAX_VALUE, (long) GHOSTS * size),
        size,
        USES_TO_STAY,
        USES_TO_STAY);
    this.size = size;
    setShare(share);
  }

  /** The share of the cache that newcomers have, more than 0 and at most 1. */
  void setShare(double share) {
    int target = (int) (share * size);
    setNewcomersTarget(target);
    leastRecentOfAll = target == size;
  }

  @Override
  public void used(int slot) {
    super.used(slot);
    queues.append(queues.queue(slot), slot);
  }

  @Override
  int choose(IntPredicate mayGo) {
    return leastRecentOfAll ? leastRecent(mayGo) : super.choose(mayGo);
  }

  private int leastRecent(IntPredicate mayGo) {
    int slot = SlotQueues.NONE;
    do {
      if (slot != SlotQueues.NONE) {
        queues.setAside(slot);
      }
      slot = queues.older(queues.oldest(NEWCOMERS), queues.oldest(KEPT));
    } while (slot != SlotQueues.NONE && !mayGo.test(slot));
    return slot;
  }

  @Override
  boolean staysForAnotherRound(int slot) {
    return false;
  }

  @Override
  public int tier(int slot) {
    return leastRecentOfAll ? 0 : super.tier(slot);
  }
}
