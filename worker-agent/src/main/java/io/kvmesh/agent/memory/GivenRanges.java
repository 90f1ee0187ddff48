package io.kvmesh.agent.memory;

import java.util.Arrays;

/**
 * The ranges that are given out: offset to length in bytes. An open-addressed table, at most half
 * full, that closes the gap of what it removes. One thread at a time.
 */
final class GivenRanges {

  private static final int FIRST_SLOTS = 64;
  private static final long NONE = -1;
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private long[] offsets = emptySlots(FIRST_SLOTS);
  private int[] lengths = new int[FIRST_SLOTS];
  private int count;

  private static long[] emptySlots(int slots) {
    long[] offsets = new long[slots];
    Arrays.fill(offsets, NONE);
    return offsets;
  }

  /** Adds a range that isn't there yet. */
  void put(long offset, int bytes) {
    if (2 * (count + 1L) > offsets.length) {
      enlarge();
    }
    int slot = slotOf(offset);
    offsets[slot] = offset;
    lengths[slot] = bytes;
    count++;
  }

  /** The length of the range that began there, or −1 if none did. */
  int remove(long offset) {
    int slot = slotOf(offset);
    if (offsets[slot] == NONE) {
      return -1;
    }
    int bytes = lengths[slot];
    close(slot);
    count--;
    return bytes;
  }

  /** Where the offset is, or else would be put. */
  private int slotOf(long offset) {
    int slot = home(offset);
    while (offsets[slot] != NONE && offsets[slot] != offset) {
      slot = next(slot);
    }
    return slot;
  }

  /** Moves up each entry that would no longer be found past the gap. */
  private void close(int removed) {
    int gap = removed;
    for (int slot = next(gap); offsets[slot] != NONE; slot = next(slot)) {
      int mask = offsets.length - 1;
      int fromHome = (slot - home(offsets[slot])) & mask;
      if (fromHome >= ((slot - gap) & mask)) {
        offsets[gap] = offsets[slot];
        lengths[gap] = lengths[slot];
        gap = slot;
      }
    }
    offsets[gap] = NONE;
  }

  private void enlarge() {
    long[] oldOffsets = offsets;
    int[] oldLengths = lengths;
    offsets = emptySlots(Math.multiplyExact(2, oldOffsets.length));
    lengths = new int[offsets.length];
    for (int old = 0; old < oldOffsets.length; old++) {
      if (oldOffsets[old] != NONE) {
        int slot = slotOf(oldOffsets[old]);
        offsets[slot] = oldOffsets[old];
        lengths[slot] = oldLengths[old];
      }
    }
  }

  private int home(long offset) {
    return (int) ((offset * GOLDEN) >>> (Long.numberOfLeadingZeros(offsets.length) + 1));
  }

  private int next(int slot) {
    return (slot + 1) & (offsets.length - 1);
  }
}
