package io.kvmesh.agent.cache.policy;

import java.util.Arrays;

/**
 * Slots in a few queues, each ordered by when its slots came to its end. A slot is in at most one.
 *
 * <p>A slot that may not go is set aside: it keeps its place, and is not met again before it is
 * restored. Restored slots wait in a heap, so each costs O(log k), k being their number.
 */
final class SlotQueues {

  static final int NONE = SlotChains.NONE;

  private static final byte ABSENT = 0;
  private static final byte CHAINED = 1;
  private static final byte ASIDE = 2;
  private static final byte IN_HEAP = 3;

  private final SlotChains chains;
  private final SlotHeap[] heaps;
  private final int[] sizes;
  private final long[] stamps;
  private final byte[] queues;
  private final byte[] where;
  private long lastStamp;

  SlotQueues(int slots, int queues) {
    this.chains = new SlotChains(slots, queues);
    this.heaps = new SlotHeap[queues];
    int[] indexes = new int[slots];
    Arrays.setAll(heaps, i -> new SlotHeap(indexes, this::isOlder));
    this.sizes = new int[queues];
    this.stamps = new long[slots];
    this.queues = new byte[slots];
    this.where = new byte[slots];
  }

  /** How many slots a queue has, those set aside included. */
  int size(int queue) {
    return sizes[queue];
  }

  /** The queue of a slot that is in one. */
  int queue(int slot) {
    return queues[slot];
  }

  /** When a slot came to the end of its queue; of all slots of all queues no two have the same. */
  long stamp(int slot) {
    return stamps[slot];
  }

  /** Puts a slot, which is in a queue or in none, at the end of a queue. */
  void append(int queue, int slot) {
    remove(slot);
    queues[slot] = (byte) queue;
    stamps[slot] = ++lastStamp;
    chains.append(queue, slot);
    where[slot] = CHAINED;
    sizes[queue]++;
  }

  /** Removes a slot, if it is in a queue. */
  void remove(int slot) {
    if (where[slot] != ABSENT) {
      takeOut(slot);
      sizes[queues[slot]]--;
      where[slot] = ABSENT;
    }
  }

  /** The first slot of a queue that isn't set aside, or NONE. */
  int oldest(int queue) {
    return older(chains.first(queue), heaps[queue].first());
  }

  /** Which of two slots came first; NONE counts as later than any. */
  int older(int slot, int other) {
    if (slot == NONE || other == NONE) {
      return Math.max(slot, other);
    }
    return isOlder(slot, other) ? slot : other;
  }

  /** Leaves a slot that is in a queue out of {@link #oldest} until it is restored. */
  void setAside(int slot) {
    takeOut(slot);
    where[slot] = ASIDE;
  }

  /** A slot that was set aside, and not put elsewhere since, is met again in its old place. */
  void restore(int slot) {
    if (where[slot] == ASIDE) {
      heaps[queues[slot]].add(slot);
      where[slot] = IN_HEAP;
    }
  }

  private void takeOut(int slot) {
    if (where[slot] == CHAINED) {
      chains.remove(queues[slot], slot);
    } else if (where[slot] == IN_HEAP) {
      heaps[queues[slot]].remove(slot);
    }
  }

  private boolean isOlder(int slot, int other) {
    return stamps[slot] < stamps[other];
  }
}
