package io.kvmesh.agent.cache.policy;

import java.util.function.IntPredicate;

/**
 * What policies share that keep newcomers apart: they wait in a queue of their own. Those that were
 * used often enough go from its head to the second queue, the others leave the cache, and their
 * keys are remembered; a key that comes back while it is remembered goes to the second queue at
 * once. So what is used again and again is kept from the many that come once.
 */
abstract class TwoQueuePolicy implements EvictionPolicy {

  static final int NEWCOMERS = 0;
  static final int KEPT = 1;

  final SlotQueues queues;
  final byte[] uses;

  private final GhostTable ghosts;
  private final long[] keyHashes;
  private final int usesToStay;
  private final int mostUses;
  private int newcomersTarget;
  private int lastVictim = SlotQueues.NONE;

  /**
   * No entries yet.
   *
   * @param ghosts how many keys are remembered
   * @param newcomersTarget above so many newcomers these are the first to go
   * @param usesToStay how often a newcomer must be used to be kept
   * @param mostUses so many uses are counted
   */
  TwoQueuePolicy(int slots, int ghosts, int newcomersTarget, int usesToStay, int mostUses) {
    this.queues = new SlotQueues(slots, 2);
    this.uses = new byte[slots];
    this.ghosts = new GhostTable(ghosts);
    this.keyHashes = new long[slots];
    this.newcomersTarget = newcomersTarget;
    this.usesToStay = usesToStay;
    this.mostUses = mostUses;
  }

  /** As it was passed to {@link #added}. */
  final long keyHash(int slot) {
    return keyHashes[slot];
  }

  final void setNewcomersTarget(int target) {
    newcomersTarget = target;
  }

  @Override
  public final void added(int slot, long keyHash) {
    keyHashes[slot] = keyHash;
    uses[slot] = 0;
    queues.append(ghosts.remove(keyHash) ? KEPT : NEWCOMERS, slot);
  }

  @Override
  public void used(int slot) {
    uses[slot] = (byte) Math.min(mostUses, uses[slot] + 1);
  }

  @Override
  public final void removed(int slot) {
    if (slot == lastVictim && queues.queue(slot) == NEWCOMERS) {
      ghosts.add(keyHashes[slot]);
    }
    lastVictim = SlotQueues.NONE;
    queues.remove(slot);
  }

  @Override
  public final int victim(IntPredicate mayGo) {
    lastVictim = choose(mayGo);
    return lastVictim;
  }

  /** The victim: a newcomer while there are too many of them, or none in the second queue. */
  int choose(IntPredicate mayGo) {
    boolean newcomersFirst = hasTooManyNewcomers() || queues.size(KEPT) == 0;
    int victim = newcomersFirst ? fromNewcomers(mayGo) : fromKept(mayGo);
    if (victim != SlotQueues.NONE) {
      return victim;
    }
    return newcomersFirst ? fromKept(mayGo) : fromNewcomers(mayGo);
  }

  private boolean hasTooManyNewcomers() {
    return queues.size(NEWCOMERS) > newcomersTarget;
  }

  private int fromNewcomers(IntPredicate mayGo) {
    for (int slot = queues.oldest(NEWCOMERS); slot >= 0; slot = queues.oldest(NEWCOMERS)) {
      if (uses[slot] >= usesToStay) {
        uses[slot] = 0;
        queues.append(KEPT, slot);
        int other = hasTooManyNewcomers() ? SlotQueues.NONE : fromKept(mayGo);
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

  private int fromKept(IntPredicate mayGo) {
    for (int slot = queues.oldest(KEPT); slot >= 0; slot = queues.oldest(KEPT)) {
      if (staysForAnotherRound(slot)) {
        queues.append(KEPT, slot);
      } else if (mayGo.test(slot)) {
        return slot;
      } else {
        queues.setAside(slot);
      }
    }
    return SlotQueues.NONE;
  }

  /** Asked of the head of the second queue; not without end. */
  abstract boolean staysForAnotherRound(int slot);

  @Override
  public final void restored(int slot) {
    queues.restore(slot);
  }

  @Override
  public int tier(int slot) {
    return queues.queue(slot);
  }

  @Override
  public final long position(int slot) {
    return queues.stamp(slot);
  }
}
