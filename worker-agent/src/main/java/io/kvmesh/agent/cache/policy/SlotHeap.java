package io.kvmesh.agent.cache.policy;

import java.util.Arrays;

/** A binary heap of slots that can also give up a slot from its middle. */
final class SlotHeap {

  /** The order of the heap. */
  interface Order {
    /** Whether the first slot goes before the second. */
    boolean before(int slot, int other);
  }

  private final Order order;

  /** Where a slot is in the heap; meaningless for a slot that isn't there. */
  private final int[] indexes;

  private int[] heap = new int[16];
  private int size;

  SlotHeap(int slots, Order order) {
    this(new int[slots], order);
  }

  /** Heaps that have no slot in common may share their indexes. */
  SlotHeap(int[] indexes, Order order) {
    this.indexes = indexes;
    this.order = order;
  }

  int first() {
    return size == 0 ? SlotChains.NONE : heap[0];
  }

  void add(int slot) {
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, 2 * size);
    }
    rise(size++, slot);
  }

  /** Removes a slot that is there. */
  void remove(int slot) {
    int index = indexes[slot];
    int moved = heap[--size];
    if (moved != slot) {
      sink(index, moved);
      rise(indexes[moved], moved);
    }
  }

  private void rise(int from, int slot) {
    int index = from;
    while (index > 0 && order.before(slot, heap[(index - 1) / 2])) {
      put(index, heap[(index - 1) / 2]);
      index = (index - 1) / 2;
    }
    put(index, slot);
  }

  private void sink(int from, int slot) {
    int index = from;
    for (int child = 2 * index + 1; child < size; child = 2 * index + 1) {
      if (child + 1 < size && order.before(heap[child + 1], heap[child])) {
        child++;
      }
      if (!order.before(heap[child], slot)) {
        break;
      }
      put(index, heap[child]);
      index = child;
    }
    put(index, slot);
  }

  private void put(int index, int slot) {
    heap[index] = slot;
    indexes[slot] = index;
  }
}
