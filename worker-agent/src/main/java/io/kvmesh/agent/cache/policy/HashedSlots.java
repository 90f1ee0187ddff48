package io.kvmesh.agent.cache.policy;

/**
 * Finds the slot of a key by its well-mixed 64-bit hash, and gives slots out: open addressing with
 * linear probing, at most half full. For a small number of slots.
 */
final class HashedSlots {

  static final int NOT_FOUND = -1;

  private final long[] hashes;
  private final int[] unused;
  private int unusedCount;

  /** Slot + 1, zero if empty. */
  private final int[] table;

  HashedSlots(int slots) {
    hashes = new long[slots];
    unused = new int[slots];
    for (int slot = slots - 1; slot >= 0; slot--) {
      unused[unusedCount++] = slot;
    }
    table = new int[Integer.highestOneBit(slots) * 4];
  }

  boolean isFull() {
    return unusedCount == 0;
  }

  int find(long hash) {
    for (int i = home(hash); table[i] != 0; i = next(i)) {
      if (hashes[table[i] - 1] == hash) {
        return table[i] - 1;
      }
    }
    return NOT_FOUND;
  }

  /** Gives a slot to a key that has none; there must be one. */
  int add(long hash) {
    int slot = unused[--unusedCount];
    hashes[slot] = hash;
    int i = home(hash);
    while (table[i] != 0) {
      i = next(i);
    }
    table[i] = slot + 1;
    return slot;
  }

  /** Takes the slot of a key back. */
  void remove(int slot) {
    int hole = home(hashes[slot]);
    while (table[hole] != slot + 1) {
      hole = next(hole);
    }
    for (int i = next(hole); table[i] != 0; i = next(i)) {
      if (distance(home(hashes[table[i] - 1]), i) >= distance(hole, i)) {
        table[hole] = table[i];
        hole = i;
      }
    }
    table[hole] = 0;
    unused[unusedCount++] = slot;
  }

  private int home(long hash) {
    return (int) (hash >>> Integer.SIZE) & table.length - 1;
  }

  private int next(int index) {
    return index + 1 & table.length - 1;
  }

  private int distance(int from, int to) {
    return to - from & table.length - 1;
  }
}
