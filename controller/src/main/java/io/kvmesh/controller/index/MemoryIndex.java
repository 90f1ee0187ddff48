package io.kvmesh.controller.index;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** The view that answers lookups. */
public final class MemoryIndex implements ChunkIndex {

  @Override
  public ChangeOutcome apply(WorkerChange change) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int prefix(WorkerId worker, String location, Keyspace keyspace, long[] hashBits) {
    return 0;
  }

  @Override
  public List<PrefixMatch> prefixes(
      Keyspace keyspace, long[] hashBits, Predicate<WorkerId> eligible) {
    return List.of();
  }

  @Override
  public List<Placement> holders(Keyspace keyspace, long hashBits) {
    return List.of();
  }

  @Override
  public KeyTotals totals(WorkerId worker, String location) {
    return KeyTotals.NONE;
  }

  @Override
  public KeyTotals totals(WorkerId worker) {
    return KeyTotals.NONE;
  }

  @Override
  public Map<Keyspace, Long> countByKeyspace() {
    return Map.of();
  }
}
