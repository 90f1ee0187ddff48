package io.kvmesh.controller.index;

import java.util.Arrays;

/** A reader's buffer: the holdings of one chunk. */
final class Holdings {

  private Holding[] items = new Holding[8];
  private int size;

  void clear() {
    size = 0;
  }

  void add(Holding holding) {
    if (size == items.length) {
      items = Arrays.copyOf(items, 2 * size);
    }
    items[size++] = holding;
  }

  int size() {
    return size;
  }

  Holding get(int i) {
    return items[i];
  }
}
