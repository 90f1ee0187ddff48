package io.kvmesh.agent.cache;

/**
 * Finds the slot of a chunk by keyspace and 64 bits: open addressing with linear probing, at most
 * half full. An entry is the upper half of the chunk's mix (see PlacementDigest) beside slot + 1,
 * zero if empty; so probing and removing (by shifting back, without tombstones) look at no record
 * but the one that is meant. Guarded by the cache's lock, but for {@link #entryAtHome} and {@link
 * #guess}.
 */
final class ChunkTable {

  static final int NOT_FOUND = -1;
  private static final int MAX_SLOTS = 1 << 29;
  private static final int GUESS_PROBES = 16;

  private final ChunkRecords records;
  private final long[] entries;
  private final int homeShift;

  ChunkTable(ChunkRecords records) {
    int slots = records.slots();
    if (slots > MAX_SLOTS) {
      throw new IllegalArgumentException(
          "A cache has at most %d chunks, asked for %d".formatted(MAX_SLOTS, slots));
    }
    this.records = records;
    int sizeBits = Integer.SIZE - Integer.numberOfLeadingZeros(2 * slots - 1);
    this.entries = new long[1 << sizeBits];
    this.homeShift = Long.SIZE - sizeBits;
  }

  int find(long mix, int keyspaceId, long hashBits) {
    for (int i = home(mix); entries[i] != 0; i = next(i)) {
      int slot = slotOf(entries[i]);
      if (sameTag(entries[i], mix) && records.is(slot, keyspaceId, hashBits)) {
        return slot;
      }
    }
    return NOT_FOUND;
  }

  /**
   * What a search for the mix looks at first. Any thread may touch it; without the lock it may be
   * anything.
   */
  long entryAtHome(long mix) {
    return entries[home(mix)];
  }

  /**
   * The slot that {@link #find} would look at first, or NOT_FOUND. Also without the lock: whatever
   * is written meanwhile, it ends soon, and answers a slot number.
   */
  int guess(long mix) {
    int i = home(mix);
    for (int looked = 0; looked < GUESS_PROBES; looked++) {
      long entry = entries[i];
      if (entry != 0 && sameTag(entry, mix)) {
        int slot = slotOf(entry);
        return slot >= 0 && slot < records.slots() ? slot : NOT_FOUND;
      }
      if (entry == 0) {
        return NOT_FOUND;
      }
      i = next(i);
    }
    return NOT_FOUND;
  }

  /** Enters a chunk that isn't there. */
  void add(long mix, int slot) {
    int i = home(mix);
    while (entries[i] != 0) {
      i = next(i);
    }
    entries[i] = (mix & 0xffff_ffff_0000_0000L) | (slot + 1L);
  }

  /** Removes a chunk that is there. */
  void remove(long mix, int slot) {
    int hole = home(mix);
    while (slotOf(entries[hole]) != slot) {
      hole = next(hole);
    }
    for (int i = next(hole); entries[i] != 0; i = next(i)) {
      if (distance(home(entries[i]), i) >= distance(hole, i)) {
        entries[hole] = entries[i];
        hole = i;
      }
    }
    entries[hole] = 0;
  }

  /** Of a mix or of an entry: both begin with the tag. */
  private int home(long mix) {
    return (int) (mix >>> homeShift);
  }

  private int next(int index) {
    return index + 1 & entries.length - 1;
  }

  private int distance(int from, int to) {
    return to - from & entries.length - 1;
  }

  private static boolean sameTag(long entry, long mix) {
    return (entry ^ mix) >>> Integer.SIZE == 0;
  }

  /** The slot of an entry, NOT_FOUND of an empty one. */
  static int slotOf(long entry) {
    return (int) entry - 1;
  }
}
