package io.kvmesh.controller.index;

/**
 * A group of a holding's entries that live and die together. Count and digest belong to the writer.
 */
final class Slot {

  final int id;
  final Holding holding;

  /** Once set, the entries that are left answer no more and are swept. */
  volatile boolean dead;

  private long count;
  private long digest;

  Slot(int id, Holding holding) {
    this.id = id;
    this.holding = holding;
  }

  void entryAdded(long key) {
    count++;
    digest += key;
  }

  void entryRemoved(long key) {
    count--;
    digest -= key;
  }

  boolean isEmpty() {
    return count == 0;
  }

  KeyTotals totals() {
    return new KeyTotals(count, digest);
  }
}
