package io.kvmesh.controller.index;

/**
 * An open-addressed map of fixed capacity from 64-bit keys, whose bits are well mixed, to numbers
 * other than 0. Linear probing; removal closes the gap, so there are no tombstones. At least one
 * position must stay free.
 *
 * <p>A position is three ints that lie together, the key's upper and lower half and the value: a
 * probe waits for memory once. The capacity need not be a power of two: it can grow in small steps.
 * Not thread-safe, but {@link #value} ends and throws nothing even if a writer changes the map
 * meanwhile; its answer is then worth nothing.
 */
final class Positions {

  private static final int INTS = 3;

  /** Places of a position's parts. */
  private static final int UPPER = 0;

  private static final int LOWER = 1;
  private static final int VALUE = 2;

  /** Most probes end within so many ints. */
  private static final int USUALLY_PROBED = 14;

  private final int capacity;
  private final int[] entries;

  Positions(int capacity) {
    this.capacity = capacity;
    this.entries = new int[Math.multiplyExact(INTS, capacity)];
  }

  int capacity() {
    return capacity;
  }

  /** The key's value; 0 if it isn't there. */
  int value(long key) {
    int at = home(upper(key));
    for (int passed = 0; passed < entries.length; passed += INTS) {
      int value = entries[at + VALUE];
      if (value == 0 || hasKey(at, key)) {
        return value;
      }
      at = next(at);
    }
    return 0;
  }

  /** Reads what {@link #value} will read of memory, mostly; the answer is worth nothing. */
  int touch(long key) {
    int at = home(upper(key));
    return entries[at + VALUE] ^ entries[Math.min(at + USUALLY_PROBED, entries.length - 1)];
  }

  /** Position of the key, or the free one where it belongs. */
  int find(long key) {
    int at = home(upper(key));
    while (entries[at + VALUE] != 0 && !hasKey(at, key)) {
      at = next(at);
    }
    return at / INTS;
  }

  long keyAt(int position) {
    int at = position * INTS;
    return (long) entries[at + UPPER] << Integer.SIZE | (entries[at + LOWER] & 0xffff_ffffL);
  }

  /** The value at the position; 0 = free. */
  int valueAt(int position) {
    return entries[position * INTS + VALUE];
  }

  void set(int position, long key, int value) {
    int at = position * INTS;
    entries[at + UPPER] = upper(key);
    entries[at + LOWER] = (int) key;
    entries[at + VALUE] = value;
  }

  void setValue(int position, int value) {
    entries[position * INTS + VALUE] = value;
  }

  /** Frees the position. Another entry may be there afterwards. */
  void remove(int position) {
    int gap = position * INTS;
    for (int i = next(gap); entries[i + VALUE] != 0; i = next(i)) {
      if (distance(home(entries[i + UPPER]), i) >= distance(gap, i)) {
        System.arraycopy(entries, i, entries, gap, INTS);
        gap = i;
      }
    }
    entries[gap + VALUE] = 0;
  }

  /** The same entries in another capacity, which must be larger than their number. */
  Positions resized(int fitting) {
    Positions copy = new Positions(fitting);
    for (int i = 0; i < capacity; i++) {
      int value = valueAt(i);
      if (value != 0) {
        long key = keyAt(i);
        copy.set(copy.find(key), key, value);
      }
    }
    return copy;
  }

  private boolean hasKey(int at, long key) {
    return entries[at + LOWER] == (int) key && entries[at + UPPER] == upper(key);
  }

  private static int upper(long key) {
    return (int) (key >>> Integer.SIZE);
  }

  /** Where an entry of a key with that upper half begins, if nothing is in its way. */
  private int home(int upper) {
    return INTS * (int) (((upper & 0xffff_ffffL) * capacity) >>> Integer.SIZE);
  }

  private int next(int at) {
    return at + INTS == entries.length ? 0 : at + INTS;
  }

  private int distance(int from, int to) {
    return to >= from ? to - from : to - from + entries.length;
  }
}
