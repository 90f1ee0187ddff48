package io.kvmesh.controller.index;

import io.kvmesh.common.key.PlacementDigest;
import java.util.Arrays;
import java.util.stream.IntStream;

/** From a chunk's key to the holdings that have it, in stripes that are locked one by one. */
final class PlacementTable {

  /** Keys to fetch at a time: their entries fit into the fastest cache. */
  static final int FETCHED = 64;

  private static final int STRIPES = 256;

  /** Any number: what was read must be of some use, or it would not be read. */
  private static final long UNLIKELY = 0x5bd1_e995_9e37_79b9L;

  private final Slots slots;
  private final Stripe[] stripes;
  private int nextSwept;

  /** A table of so many entries at most. */
  PlacementTable(long limit) {
    this.slots = new Slots(limit);
    this.stripes =
        IntStream.range(0, STRIPES).mapToObj(i -> new Stripe(slots)).toArray(Stripe[]::new);
  }

  /** Where the slots of new holdings come from. */
  Slots slots() {
    return slots;
  }

  /**
   * Makes keys of hashes, and has the memory fetched that their entries are in: all at once, where
   * one lookup after the other would wait for each. Any thread.
   *
   * @return the keys of so many hashes, or of those that are left
   */
  long[] fetch(long keyspaceDigest, long[] hashBits, int from, int most) {
    long[] keys = new long[Math.min(most, hashBits.length - from)];
    long read = 0;
    for (int i = 0; i < keys.length; i++) {
      keys[i] = PlacementDigest.mix(keyspaceDigest, hashBits[from + i]);
      read ^= stripe(keys[i]).touch(keys[i]);
    }
    if (read == UNLIKELY) {
      Thread.onSpinWait();
    }
    return keys;
  }

  /** Whether the holding has the chunk. Any thread. */
  boolean holds(long key, Holding holding) {
    return stripe(key).holds(key, holding);
  }

  /** Fills the buffer with all that hold the chunk. Any thread. */
  void collect(long key, Holdings into) {
    stripe(key).collect(key, into);
  }

  /**
   * The holding has the chunk, in its current slot. What dropped workers have left behind is swept
   * first where the table is full of it.
   *
   * @return false if there is no room for it
   */
  boolean admit(long key, Holding holding) {
    while (slots.isFull() && slots.anyDying()) {
      sweep();
    }
    return stripe(key).admit(key, holding);
  }

  /** Number of positions, used or not. */
  long capacity() {
    return Arrays.stream(stripes).mapToLong(Stripe::capacity).sum();
  }

  /** The holding has the chunk no longer. */
  void evict(long key, Holding holding) {
    stripe(key).evict(key, holding);
  }

  /**
   * Removes the entries of dead slots from one stripe.
   *
   * @return whether there are more
   */
  boolean sweep() {
    if (slots.anyDying()) {
      stripes[nextSwept].sweep();
      nextSwept = (nextSwept + 1) % STRIPES;
    }
    return slots.anyDying();
  }

  private Stripe stripe(long key) {
    return stripes[(int) key & STRIPES - 1];
  }
}
