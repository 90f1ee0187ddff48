package io.kvmesh.controller.index;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The slots by number. One writer; any thread may look a number up.
 *
 * <p>A number is given out again once no entry carries it, so a reader must look it up while it can
 * still tell that the entry it came from is there.
 */
final class Slots {

  private static final int INITIAL = 64;

  private final long limit;
  private long entries;

  private volatile @Nullable Slot[] byId = new Slot[INITIAL];
  private final IntArrayList free = new IntArrayList();

  /** The lowest number never given out; 0 means "no entry" in the table. */
  private int next = 1;

  private int dying;

  /** Slots with so many entries at most. */
  Slots(long limit) {
    this.limit = limit;
  }

  /** Whether the table may take no more entries. The writer's. */
  boolean isFull() {
    return entries >= limit;
  }

  /** Entries in the table, those of dead slots among them. The writer's. */
  long entries() {
    return entries;
  }

  /** The slot of the number; null only for a reader whose entry is no longer there. */
  @Nullable Slot get(int id) {
    @Nullable Slot[] all = byId;
    return id < all.length ? all[id] : null;
  }

  /** The slot of an entry that is there. The writer's. */
  Slot at(int id) {
    Slot slot = get(id);
    if (slot == null) {
      throw new IllegalStateException("An entry carries the free number " + id);
    }
    return slot;
  }

  Slot allocate(Holding holding) {
    int id = free.isEmpty() ? next++ : free.popInt();
    if (id >= byId.length) {
      byId = Arrays.copyOf(byId, byId.length * 2);
    }
    Slot slot = new Slot(id, holding);
    byId[id] = slot;
    return slot;
  }

  /** Its entries answer no more, from now on; the number is free once they are swept. */
  void kill(Slot slot) {
    slot.dead = true;
    if (slot.isEmpty()) {
      release(slot);
    } else {
      dying++;
    }
  }

  /** An entry of the slot has come into the table. */
  void entryAdded(Slot slot, long key) {
    slot.entryAdded(key);
    entries++;
  }

  /** An entry of the slot has left the table. */
  void entryRemoved(int id, long key) {
    Slot slot = at(id);
    entries--;
    slot.entryRemoved(key);
    if (slot.dead && slot.isEmpty()) {
      dying--;
      release(slot);
    }
  }

  /** Whether the table has entries of dead slots. */
  boolean anyDying() {
    return dying > 0;
  }

  private void release(Slot slot) {
    byId[slot.id] = null;
    free.add(slot.id);
  }
}
