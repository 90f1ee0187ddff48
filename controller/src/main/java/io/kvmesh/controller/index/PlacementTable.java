package io.kvmesh.controller.index;

import java.util.stream.IntStream;

/** From a chunk's key to the holdings that have it, in stripes that are locked one by one. */
final class PlacementTable {

  private static final int STRIPES = 256;

  private final Slots slots = new Slots();
  private final Stripe[] stripes =
      IntStream.range(0, STRIPES).mapToObj(i -> new Stripe(slots)).toArray(Stripe[]::new);
  private int nextSwept;

  /** Where the slots of new holdings come from. */
  Slots slots() {
    return slots;
  }

  /** Whether the holding has the chunk. Any thread. */
  boolean holds(long key, Holding holding) {
    return stripe(key).holds(key, holding);
  }

  /** Fills the buffer with all that hold the chunk. Any thread. */
  void collect(long key, Holdings into) {
    stripe(key).collect(key, into);
  }

  /** The holding has the chunk, in its current slot. */
  void admit(long key, Holding holding) {
    stripe(key).admit(key, holding);
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
