package io.kvmesh.controller.index;

/**
 * An open-addressed map of fixed capacity from 64-bit keys, whose bits are well mixed, to numbers
 * other than 0. Linear probing; removal closes the gap, so there are no tombstones. At least one
 * position must stay free.
 *
 * <p>The capacity need not be a power of two: it can grow in small steps. Not thread-safe, but
 * {@link #value} ends and throws nothing even if a writer changes the map meanwhile; its answer is
 * then worth nothing.
 */
final class Positions {

  private final long[] keys;
  private final int[] values;

  Positions(int capacity) {
    this.keys = new long[capacity];
    this.values = new int[capacity];
  }

  int capacity() {
    return keys.length;
  }

  /** The key's value; 0 if it isn't there. */
  int value(long key) {
    int position = home(key);
    for (int steps = 0; steps < keys.length; steps++) {
      int value = values[position];
      if (value == 0 || keys[position] == key) {
        return value;
      }
      position = next(position);
    }
    return 0;
  }

  /** Reads what {@link #value} will read first; the answer is worth nothing. */
  long touch(long key) {
    int position = home(key);
    return keys[position] ^ values[position];
  }

  /** Position of the key, or the free one where it belongs. */
  int find(long key) {
    int position = home(key);
    while (values[position] != 0 && keys[position] != key) {
      position = next(position);
    }
    return position;
  }

  long keyAt(int position) {
    return keys[position];
  }

  /** The value at the position; 0 = free. */
  int valueAt(int position) {
    return values[position];
  }

  void set(int position, long key, int value) {
    keys[position] = key;
    values[position] = value;
  }

  void setValue(int position, int value) {
    values[position] = value;
  }

  /** Frees the position. Another entry may be there afterwards. */
  void remove(int position) {
    int gap = position;
    for (int i = next(gap); values[i] != 0; i = next(i)) {
      if (distance(home(keys[i]), i) >= distance(gap, i)) {
        set(gap, keys[i], values[i]);
        gap = i;
      }
    }
    values[gap] = 0;
  }

  /** The same entries in another capacity, which must be larger than their number. */
  Positions resized(int capacity) {
    Positions copy = new Positions(capacity);
    for (int i = 0; i < keys.length; i++) {
      if (values[i] != 0) {
        copy.set(copy.find(keys[i]), keys[i], values[i]);
      }
    }
    return copy;
  }

  private int home(long key) {
    return (int) (((key >>> 32) * keys.length) >>> 32);
  }

  private int next(int position) {
    return position + 1 == keys.length ? 0 : position + 1;
  }

  private int distance(int from, int to) {
    return to >= from ? to - from : to - from + keys.length;
  }
}
