package io.kvmesh.agent.cache.policy;

import java.util.function.IntPredicate;

/**
 * Slots by level, and within a level in the order in which they came to it. The victims are taken
 * from the lowest level, at one side of its order.
 *
 * <p>Each level is a chain. A victim that may not go is taken out of its chain, so that it isn't
 * met again; when it is restored it waits in a heap, ordered as the whole is. The next victim is
 * the better one of the chains and the heap. So every slot keeps its exact place, however long it
 * was held. Levels beyond {@link #CHAINS} have no chain: few slots get there, and these are in the
 * heap.
 */
final class RankedSlots {

  /** The side of a level's order where victims are taken. */
  enum Side {
    OLDEST,
    NEWEST
  }

  static final int CHAINS = LevelBits.MAX;

  private static final byte ABSENT = 0;
  private static final byte CHAINED = 1;
  private static final byte ASIDE = 2;
  private static final byte IN_HEAP = 3;

  private final Side side;
  private final SlotChains chains;
  private final LevelBits nonEmptyChains = new LevelBits();
  private final SlotHeap heap;
  private final int[] levels;
  private final long[] stamps;
  private final byte[] where;
  private long lastStamp;

  /**
   * No slots yet.
   *
   * @param levels how many levels will be used, if fewer than there are chains
   */
  RankedSlots(int slots, int levels, Side side) {
    this.side = side;
    this.chains = new SlotChains(slots, Math.min(levels, CHAINS));
    this.heap = new SlotHeap(slots, this::before);
    this.levels = new int[slots];
    this.stamps = new long[slots];
    this.where = new byte[slots];
  }

  /** The level of a slot that is there. */
  int level(int slot) {
    return levels[slot];
  }

  /** See {@link EvictionPolicy#position}. */
  long position(int slot) {
    return side == Side.OLDEST ? stamps[slot] : -stamps[slot];
  }

  /** Puts a slot, which is there or not, at the end of a level. */
  void place(int slot, int level) {
    remove(slot);
    levels[slot] = level;
    stamps[slot] = ++lastStamp;
    if (level >= chains.chains()) {
      heap.add(slot);
      where[slot] = IN_HEAP;
      return;
    }
    if (chains.isEmpty(level)) {
      nonEmptyChains.set(level);
    }
    chains.append(level, slot);
    where[slot] = CHAINED;
  }

  /** Removes a slot, if it is there. */
  void remove(int slot) {
    if (where[slot] == CHAINED) {
      int level = levels[slot];
      chains.remove(level, slot);
      if (chains.isEmpty(level)) {
        nonEmptyChains.clear(level);
      }
    } else if (where[slot] == IN_HEAP) {
      heap.remove(slot);
    }
    where[slot] = ABSENT;
  }

  /** See {@link EvictionPolicy#victim}. */
  int victim(IntPredicate mayGo) {
    for (int slot = next(); slot != SlotChains.NONE; slot = next()) {
      if (mayGo.test(slot)) {
        return slot;
      }
      remove(slot);
      where[slot] = ASIDE;
    }
    return SlotChains.NONE;
  }

  /** See {@link EvictionPolicy#restored}. */
  void restore(int slot) {
    if (where[slot] == ASIDE) {
      heap.add(slot);
      where[slot] = IN_HEAP;
    }
  }

  private int next() {
    int chained = nextChained();
    int heaped = heap.first();
    if (chained == SlotChains.NONE || heaped == SlotChains.NONE) {
      return Math.max(chained, heaped);
    }
    return before(heaped, chained) ? heaped : chained;
  }

  private int nextChained() {
    int level = nonEmptyChains.lowest();
    if (level < 0) {
      return SlotChains.NONE;
    }
    return side == Side.OLDEST ? chains.first(level) : chains.last(level);
  }

  private boolean before(int slot, int other) {
    if (levels[slot] != levels[other]) {
      return levels[slot] < levels[other];
    }
    return position(slot) < position(other);
  }
}
