package io.kvmesh.benchmarks.cache;

/**
 * The yardstick: an open table from non-zero numbers to numbers, at most half full, key and value
 * side by side, linear probing. Nothing but what it takes to find, put and remove.
 */
final class BareTable {

  static final long ABSENT = -1;
  private static final long GOLDEN = 0x9e3779b97f4a7c15L;

  private final long[] cells;
  private final int homeShift;
  private final int mask;

  BareTable(int entries) {
    int sizeBits = Integer.SIZE - Integer.numberOfLeadingZeros(2 * entries - 1);
    cells = new long[2 << sizeBits];
    homeShift = Long.SIZE - sizeBits;
    mask = (1 << sizeBits) - 1;
  }

  /** The value, or ABSENT. */
  long get(long key) {
    for (int i = home(key); cells[2 * i] != 0; i = i + 1 & mask) {
      if (cells[2 * i] == key) {
        return cells[2 * i + 1];
      }
    }
    return ABSENT;
  }

  /** Enters a key that isn't there. */
  void add(long key, long value) {
    int i = home(key);
    while (cells[2 * i] != 0) {
      i = i + 1 & mask;
    }
    cells[2 * i] = key;
    cells[2 * i + 1] = value;
  }

  /** Removes a key that is there, by shifting back. */
  void remove(long key) {
    int hole = home(key);
    while (cells[2 * hole] != key) {
      hole = hole + 1 & mask;
    }
    for (int i = hole + 1 & mask; cells[2 * i] != 0; i = i + 1 & mask) {
      if ((i - home(cells[2 * i]) & mask) >= (i - hole & mask)) {
        cells[2 * hole] = cells[2 * i];
        cells[2 * hole + 1] = cells[2 * i + 1];
        hole = i;
      }
    }
    cells[2 * hole] = 0;
  }

  private int home(long key) {
    return (int) ((key * GOLDEN) >>> homeShift);
  }
}
