package io.kvmesh.controller.index;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.index.ChangeStep.Drop;
import io.kvmesh.controller.index.ChangeStep.Measure;
import io.kvmesh.controller.index.ChangeStep.Operations;
import io.kvmesh.controller.index.ChangeStep.SnapshotApply;
import io.kvmesh.controller.index.ChangeStep.SnapshotBegin;
import io.kvmesh.controller.index.ChangeStep.SnapshotKeys;
import io.kvmesh.controller.index.ChangeStep.SnapshotVoid;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** What a worker holds, by location and keyspace. The writer's, but for {@link #holding}. */
final class WorkerKeys {

  private final WorkerId worker;
  private final PlacementTable table;
  private final ConcurrentMap<String, ConcurrentMap<Keyspace, Holding>> locations =
      new ConcurrentHashMap<>();
  private long offset = -1;
  private long unplaced;

  WorkerKeys(WorkerId worker, PlacementTable table) {
    this.worker = worker;
    this.table = table;
  }

  /** The holding, if it has had a chunk. Any thread. */
  @Nullable Holding holding(String location, Keyspace keyspace) {
    Map<Keyspace, Holding> holdings = locations.get(location);
    return holdings == null ? null : holdings.get(keyspace);
  }

  /** Offset of the last record applied; −1 = none. */
  long offset() {
    return offset;
  }

  void advance(long applied) {
    offset = applied;
  }

  /** Chunks for which there has been no room. */
  long unplaced() {
    return unplaced;
  }

  /** Makes the step; the totals of its location afterwards. */
  KeyTotals apply(ChangeStep step) {
    return switch (step) {
      case Drop() -> {
        drop();
        yield KeyTotals.NONE;
      }
      case Measure(String location) -> totals(location);
      case Operations operations -> {
        apply(operations);
        yield totals(operations.location());
      }
      case SnapshotBegin(String location) -> {
        holdings(location).values().forEach(Holding::unmarkAll);
        yield totals(location);
      }
      case SnapshotKeys(String location, Keyspace keyspace, long[] hashBits) -> {
        admitAll(holdingOrNew(location, keyspace), hashBits);
        yield totals(location);
      }
      case SnapshotApply(String location) -> {
        holdings(location).values().forEach(Holding::dropUnmarked);
        removeEmpty(location);
        yield totals(location);
      }
      // Marks are left where they are: the next snapshot begins by unmarking all.
      case SnapshotVoid(String location) -> totals(location);
    };
  }

  private void apply(Operations operations) {
    Holding holding = holdingOrNew(operations.location(), operations.keyspace());
    long digest = operations.keyspace().digest();
    long[] bits = operations.hashBits();
    boolean[] admits = operations.admits();
    for (int from = 0; from < bits.length; from += PlacementTable.FETCHED) {
      long[] keys = table.fetch(digest, bits, from, PlacementTable.FETCHED);
      for (int i = 0; i < keys.length; i++) {
        apply(keys[i], admits[from + i], holding);
      }
    }
    if (holding.isEmpty()) {
      remove(operations.location(), holding);
    }
  }

  private void apply(long key, boolean admits, Holding holding) {
    if (!admits) {
      table.evict(key, holding);
    } else if (!table.admit(key, holding)) {
      unplaced++;
    }
  }

  private void admitAll(Holding holding, long[] hashBits) {
    long digest = holding.keyspace.digest();
    for (int from = 0; from < hashBits.length; from += PlacementTable.FETCHED) {
      for (long key : table.fetch(digest, hashBits, from, PlacementTable.FETCHED)) {
        apply(key, true, holding);
      }
    }
  }

  /** All is gone, at once for every reader. */
  void drop() {
    locations.values().forEach(holdings -> holdings.values().forEach(Holding::drop));
    locations.clear();
  }

  KeyTotals totals(String location) {
    KeyTotals sum = KeyTotals.NONE;
    for (Holding holding : holdings(location).values()) {
      sum = sum.plus(holding.totals());
    }
    return sum;
  }

  KeyTotals totals() {
    return locations.keySet().stream().map(this::totals).reduce(KeyTotals.NONE, KeyTotals::plus);
  }

  void addCounts(Map<Keyspace, Long> counts) {
    for (Map<Keyspace, Holding> holdings : locations.values()) {
      holdings.forEach(
          (keyspace, holding) -> counts.merge(keyspace, holding.totals().count(), Long::sum));
    }
  }

  private Map<Keyspace, Holding> holdings(String location) {
    Map<Keyspace, Holding> holdings = locations.get(location);
    return holdings == null ? Map.of() : holdings;
  }

  private Holding holdingOrNew(String location, Keyspace keyspace) {
    return locations
        .computeIfAbsent(location, name -> new ConcurrentHashMap<>())
        .computeIfAbsent(keyspace, k -> new Holding(worker, location, k, table.slots()));
  }

  private void removeEmpty(String location) {
    for (Holding holding : holdings(location).values()) {
      if (holding.isEmpty()) {
        remove(location, holding);
      }
    }
  }

  private void remove(String location, Holding holding) {
    holding.drop();
    holdings(location).remove(holding.keyspace);
    if (holdings(location).isEmpty()) {
      locations.remove(location);
    }
  }
}
