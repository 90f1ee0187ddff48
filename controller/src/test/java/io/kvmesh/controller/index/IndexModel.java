package io.kvmesh.controller.index;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.PlacementDigest;
import io.kvmesh.common.key.WorkerId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What an index must hold, in the plainest way. */
public final class IndexModel {

  /** A chunk of a keyspace. */
  public record Chunk(Keyspace keyspace, long bits) {}

  private final Map<Placement, Set<Chunk>> held = new HashMap<>();
  private final Map<Placement, Set<Chunk>> marked = new HashMap<>();

  /** Makes the step. */
  public void apply(WorkerId worker, ChangeStep step) {
    switch (step) {
      case ChangeStep.Drop() -> {
        held.keySet().removeIf(placement -> placement.worker().equals(worker));
        marked.keySet().removeIf(placement -> placement.worker().equals(worker));
      }
      case ChangeStep.Measure(String ignored) -> {}
      case ChangeStep.Operations(
              String location,
              Keyspace keyspace,
              long[] bits,
              boolean[] admits,
              boolean marking) -> {
        for (int i = 0; i < bits.length; i++) {
          Chunk chunk = new Chunk(keyspace, bits[i]);
          if (admits[i]) {
            add(new Placement(worker, location), chunk, marking);
          } else {
            chunks(new Placement(worker, location)).remove(chunk);
            marked.getOrDefault(new Placement(worker, location), new HashSet<>()).remove(chunk);
          }
        }
      }
      case ChangeStep.SnapshotBegin(String location) ->
          marked.put(new Placement(worker, location), new HashSet<>());
      case ChangeStep.SnapshotKeys(String location, Keyspace keyspace, long[] bits) -> {
        for (long hash : bits) {
          add(new Placement(worker, location), new Chunk(keyspace, hash), true);
        }
      }
      case ChangeStep.SnapshotApply(String location) -> {
        Placement placement = new Placement(worker, location);
        held.put(placement, marked.getOrDefault(placement, new HashSet<>()));
        marked.remove(placement);
      }
      case ChangeStep.SnapshotVoid(String location) ->
          marked.remove(new Placement(worker, location));
    }
  }

  private void add(Placement placement, Chunk chunk, boolean marking) {
    chunks(placement).add(chunk);
    if (marking) {
      marked.computeIfAbsent(placement, p -> new HashSet<>()).add(chunk);
    }
  }

  /** What is held there. */
  public Set<Chunk> chunks(Placement placement) {
    return held.computeIfAbsent(placement, p -> new HashSet<>());
  }

  /** Every placement that holds the chunk, as texts in order. */
  public Set<String> holders(Keyspace keyspace, long bits) {
    Set<String> holders = new TreeSet<>();
    held.forEach(
        (placement, chunks) -> {
          if (chunks.contains(new Chunk(keyspace, bits))) {
            holders.add(placement.toString());
          }
        });
    return holders;
  }

  /** Count and digest of what is held there. */
  public KeyTotals totals(Placement placement) {
    long digest = 0;
    for (Chunk chunk : chunks(placement)) {
      digest += PlacementDigest.mix(chunk.keyspace().digest(), chunk.bits());
    }
    return new KeyTotals(chunks(placement).size(), digest);
  }

  /** Length of the prefix that is held there. */
  public int prefix(Placement placement, Keyspace keyspace, long[] bits) {
    int length = 0;
    while (length < bits.length && chunks(placement).contains(new Chunk(keyspace, bits[length]))) {
      length++;
    }
    return length;
  }
}
