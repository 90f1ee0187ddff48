package io.kvmesh.controller.index;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import java.util.ArrayList;
import java.util.List;

/**
 * The chunks of one keyspace that a worker holds at a location. Its entries in the table carry the
 * number of one of its slots: the current one is what a running snapshot has marked, the others are
 * what it has not; without a snapshot there is mostly one.
 *
 * <p>The fields that are final may be read by any thread, the rest only by the writer.
 */
final class Holding {

  final Placement placement;
  final Keyspace keyspace;

  private final Slots slots;
  private final List<Slot> unmarked = new ArrayList<>(0);
  private Slot current;

  Holding(WorkerId worker, String location, Keyspace keyspace, Slots slots) {
    this.placement = new Placement(worker, location);
    this.keyspace = keyspace;
    this.slots = slots;
    this.current = slots.allocate(this);
  }

  /** The slot of new entries. */
  Slot current() {
    return current;
  }

  KeyTotals totals() {
    KeyTotals sum = current.totals();
    for (Slot slot : unmarked) {
      sum = sum.plus(slot.totals());
    }
    return sum;
  }

  boolean isEmpty() {
    return current.isEmpty() && unmarked.stream().allMatch(Slot::isEmpty);
  }

  /** From here on no entry is marked. */
  void unmarkAll() {
    unmarked.add(current);
    unmarked.removeIf(this::releaseIfEmpty);
    current = slots.allocate(this);
  }

  /** What isn't marked is gone, at once for every reader. */
  void dropUnmarked() {
    unmarked.forEach(slots::kill);
    unmarked.clear();
  }

  /** All is gone, at once for every reader. */
  void drop() {
    dropUnmarked();
    slots.kill(current);
  }

  private boolean releaseIfEmpty(Slot slot) {
    if (slot.isEmpty()) {
      slots.kill(slot);
      return true;
    }
    return false;
  }
}
