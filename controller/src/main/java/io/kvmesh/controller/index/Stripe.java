package io.kvmesh.controller.index;

import java.util.Arrays;
import java.util.concurrent.locks.StampedLock;

/**
 * A part of the placement table: from a chunk's key to the slots that hold it. A position takes 12
 * bytes, half to three quarters of them are used; a chunk with n > 1 holders takes about 24 + 4 n
 * more.
 *
 * <p>One writer, which locks only while it moves an entry, never while it builds a larger table.
 * Readers read optimistically, look slots up before they validate, and lock only if a writer came
 * between twice; then they wait for one entry to be moved.
 */
final class Stripe {

  private static final int MIN_CAPACITY = 16;
  private static final int OPTIMISTIC_TRIES = 2;

  private final StampedLock lock = new StampedLock();
  private final Slots slots;
  private final Groups groups = new Groups();
  private Positions positions = new Positions(MIN_CAPACITY);
  private int size;

  Stripe(Slots slots) {
    this.slots = slots;
  }

  /** Has the memory fetched that the key's entry is in. Any thread; see {@link Positions#touch}. */
  long touch(long key) {
    return positions.touch(key);
  }

  /** Whether the holding has the chunk. Any thread. */
  boolean holds(long key, Holding holding) {
    for (int i = 0; i < OPTIMISTIC_TRIES; i++) {
      long stamp = lock.tryOptimisticRead();
      boolean answer = stamp != 0 && readHolds(key, holding);
      if (lock.validate(stamp)) {
        return answer;
      }
    }
    long stamp = lock.readLock();
    try {
      return readHolds(key, holding);
    } finally {
      lock.unlockRead(stamp);
    }
  }

  /** Fills the buffer with all that hold the chunk. Any thread. */
  void collect(long key, Holdings into) {
    for (int i = 0; i < OPTIMISTIC_TRIES; i++) {
      long stamp = lock.tryOptimisticRead();
      if (stamp != 0) {
        readHoldings(key, into);
      }
      if (lock.validate(stamp)) {
        return;
      }
    }
    long stamp = lock.readLock();
    try {
      readHoldings(key, into);
    } finally {
      lock.unlockRead(stamp);
    }
  }

  private boolean readHolds(long key, Holding holding) {
    int value = positions.value(key);
    if (value >= 0) {
      return value > 0 && isLiveOf(value, holding);
    }
    for (int id : groups.ids(value)) {
      if (isLiveOf(id, holding)) {
        return true;
      }
    }
    return false;
  }

  private void readHoldings(long key, Holdings into) {
    into.clear();
    int value = positions.value(key);
    if (value > 0) {
      addLive(value, into);
    } else if (value < 0) {
      for (int id : groups.ids(value)) {
        addLive(id, into);
      }
    }
  }

  private void addLive(int id, Holdings into) {
    Slot slot = slots.get(id);
    if (slot != null && !slot.dead) {
      into.add(slot.holding);
    }
  }

  private boolean isLiveOf(int id, Holding holding) {
    Slot slot = slots.get(id);
    return slot != null && slot.holding == holding && !slot.dead;
  }

  /**
   * The holding has the chunk, in its current slot.
   *
   * @return false if it takes another entry and the table may have no more
   */
  boolean admit(long key, Holding holding) {
    Slot current = holding.current();
    int position = positions.find(key);
    int value = positions.valueAt(position);
    if (value == 0) {
      return insert(position, key, current);
    }
    return value > 0
        ? admitBeside(position, key, value, current)
        : admitToGroup(key, value, current);
  }

  private boolean insert(int position, long key, Slot slot) {
    if (slots.isFull()) {
      return false;
    }
    int free = position;
    if ((size + 1) * 4L > positions.capacity() * 3L) {
      resize(size + 1);
      free = positions.find(key);
    }
    long stamp = lock.writeLock();
    positions.set(free, key, slot.id);
    lock.unlockWrite(stamp);
    size++;
    slots.entryAdded(slot, key);
    return true;
  }

  private boolean admitBeside(int position, long key, int id, Slot slot) {
    if (id == slot.id) {
      return true;
    }
    boolean replaces = replaces(slot, id);
    if (!replaces && slots.isFull()) {
      return false;
    }
    long stamp = lock.writeLock();
    positions.setValue(position, replaces ? slot.id : groups.create(id, slot.id));
    lock.unlockWrite(stamp);
    slots.entryAdded(slot, key);
    if (replaces) {
      slots.entryRemoved(id, key);
    }
    return true;
  }

  private boolean admitToGroup(long key, int group, Slot slot) {
    int[] ids = groups.ids(group);
    int replaced = -1;
    for (int i = 0; i < ids.length; i++) {
      if (ids[i] == slot.id) {
        return true;
      }
      if (replaces(slot, ids[i]) && (replaced < 0 || !slots.at(ids[i]).dead)) {
        replaced = i;
      }
    }
    if (replaced < 0 && slots.isFull()) {
      return false;
    }
    int[] changed = Arrays.copyOf(ids, replaced < 0 ? ids.length + 1 : ids.length);
    changed[replaced < 0 ? ids.length : replaced] = slot.id;
    long stamp = lock.writeLock();
    groups.replace(group, changed);
    lock.unlockWrite(stamp);
    slots.entryAdded(slot, key);
    if (replaced >= 0) {
      slots.entryRemoved(ids[replaced], key);
    }
    return true;
  }

  /** Whether an entry of the slot takes the place of the other: it is dead, or unmarked. */
  private boolean replaces(Slot slot, int otherId) {
    Slot other = slots.at(otherId);
    return other.dead || other.holding == slot.holding;
  }

  /** The holding has the chunk no longer. */
  void evict(long key, Holding holding) {
    int position = positions.find(key);
    int value = positions.valueAt(position);
    if (value > 0 && isLiveOf(value, holding)) {
      removeEntry(position);
      slots.entryRemoved(value, key);
      shrinkIfSparse();
    } else if (value < 0) {
      evictFromGroup(position, value, holding);
    }
  }

  private void evictFromGroup(int position, int group, Holding holding) {
    int[] ids = groups.ids(group);
    for (int i = 0; i < ids.length; i++) {
      if (isLiveOf(ids[i], holding)) {
        long key = positions.keyAt(position);
        setGroup(position, group, without(ids, i));
        slots.entryRemoved(ids[i], key);
        return;
      }
    }
  }

  /** Number of positions, used or not. */
  int capacity() {
    return positions.capacity();
  }

  /** Removes what is left of dead slots. */
  void sweep() {
    int position = 0;
    while (position < positions.capacity()) {
      int value = positions.valueAt(position);
      boolean removed =
          value > 0 ? sweepEntry(position, value) : value < 0 && sweepGroup(position, value);
      // A removal may have moved the next entry here.
      position += removed ? 0 : 1;
    }
    shrinkIfSparse();
  }

  private boolean sweepEntry(int position, int id) {
    if (!slots.at(id).dead) {
      return false;
    }
    long key = positions.keyAt(position);
    removeEntry(position);
    slots.entryRemoved(id, key);
    return true;
  }

  private boolean sweepGroup(int position, int group) {
    int[] ids = groups.ids(group);
    int[] live = Arrays.stream(ids).filter(id -> !slots.at(id).dead).toArray();
    if (live.length == ids.length) {
      return false;
    }
    int[] dead = Arrays.stream(ids).filter(id -> slots.at(id).dead).toArray();
    long key = positions.keyAt(position);
    setGroup(position, group, live);
    for (int id : dead) {
      slots.entryRemoved(id, key);
    }
    return live.length == 0;
  }

  /** The chunk at the position, which has the group, is held by these instead. */
  private void setGroup(int position, int group, int[] ids) {
    long stamp = lock.writeLock();
    if (ids.length > 1) {
      groups.replace(group, ids);
    } else {
      groups.remove(group);
      if (ids.length == 1) {
        positions.setValue(position, ids[0]);
      } else {
        positions.remove(position);
        size--;
      }
    }
    lock.unlockWrite(stamp);
  }

  private void removeEntry(int position) {
    long stamp = lock.writeLock();
    positions.remove(position);
    lock.unlockWrite(stamp);
    size--;
  }

  private void shrinkIfSparse() {
    if (positions.capacity() > MIN_CAPACITY && size * 4L < positions.capacity()) {
      resize(size);
    }
  }

  /** Half of the positions will be used: there is room to grow by half, or to shrink by half. */
  private void resize(int expected) {
    Positions fitting = positions.resized(Math.max(MIN_CAPACITY, 2 * expected));
    long stamp = lock.writeLock();
    positions = fitting;
    lock.unlockWrite(stamp);
  }

  private static int[] without(int[] ids, int index) {
    int[] rest = new int[ids.length - 1];
    System.arraycopy(ids, 0, rest, 0, index);
    System.arraycopy(ids, index + 1, rest, index, rest.length - index);
    return rest;
  }
}
