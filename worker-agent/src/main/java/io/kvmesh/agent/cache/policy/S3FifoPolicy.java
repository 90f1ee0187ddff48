package io.kvmesh.agent.cache.policy;

import java.util.function.IntPredicate;

/**
 * S3-FIFO: newcomers wait in a small queue. Those that were used go from its head to the main
 * queue, the others leave the cache, and their keys are remembered; a key that comes back while it
 * is remembered goes to the main queue at once. There a used entry gets another round for each use,
 * three at most. Neither queue changes its order on a use.
 *
 * <p>After Yang, Zhang, Qiu, Yue and Rashmi, "FIFO queues are all you need for cache eviction",
 * SOSP 2023.
 */
final class S3FifoPolicy implements EvictionPolicy {

  static final int SMALL = 0;
  static final int MAIN = 1;
  static final int MOST_USES = 3;

  /** The small queue's share of the cache is one in so many. */
  static final int SMALL_SHARE = 10;

  private final SlotQueues queues;
  private final GhostTable ghosts;
  private final long[] keyHashes;
  private final byte[] uses;
  private final int smallTarget;
  private int lastVictim = SlotQueues.NONE;

  S3FifoPolicy(int slots) {
    queues = new SlotQueues(slots, 2);
    smallTarget = slots / SMALL_SHARE;
    ghosts = new GhostTable(slots);
    keyHashes = new long[slots];
    uses = new byte[slots];
  }

  @Override
  public void added(int slot, long keyHash) {
    keyHashes[slot] = keyHash;
    uses[slot] = 0;
    queues.append(ghosts.remove(keyHash) ? MAIN : SMALL, slot);
  }

  @Override
  public void used(int slot) {
    uses[slot] = (byte) Math.min(MOST_USES, uses[slot] + 1);
  }

  @Override
  public void removed(int slot) {
    if (slot == lastVictim && queues.queue(slot) == SMALL) {
      ghosts.add(keyHashes[slot]);
    }
    lastVictim = SlotQueues.NONE;
    queues.remove(slot);
  }

  @Override
  public int victim(IntPredicate mayGo) {
    boolean smallFirst = queues.size(SMALL) > smallTarget || queues.size(MAIN) == 0;
    int victim = smallFirst ? fromSmall(mayGo) : fromMain(mayGo);
    if (victim == SlotQueues.NONE) {
      victim = smallFirst ? fromMain(mayGo) : fromSmall(mayGo);
    }
    lastVictim = victim;
    return victim;
  }

  private int fromSmall(IntPredicate mayGo) {
    for (int slot = queues.oldest(SMALL); slot >= 0; slot = queues.oldest(SMALL)) {
      if (uses[slot] > 0) {
        uses[slot] = 0;
        queues.append(MAIN, slot);
        int other = queues.size(SMALL) > smallTarget ? SlotQueues.NONE : fromMain(mayGo);
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

  private int fromMain(IntPredicate mayGo) {
    for (int slot = queues.oldest(MAIN); slot >= 0; slot = queues.oldest(MAIN)) {
      if (uses[slot] > 0) {
        uses[slot]--;
        queues.append(MAIN, slot);
      } else if (mayGo.test(slot)) {
        return slot;
      } else {
        queues.setAside(slot);
      }
    }
    return SlotQueues.NONE;
  }

  @Override
  public void restored(int slot) {
    queues.restore(slot);
  }

  @Override
  public int tier(int slot) {
    return queues.queue(slot);
  }

  @Override
  public long position(int slot) {
    return queues.stamp(slot);
  }
}
