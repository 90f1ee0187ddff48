package io.kvmesh.controller.config;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.index.ChangeOutcome;
import io.kvmesh.controller.index.ChunkIndex;
import io.kvmesh.controller.index.KeyTotals;
import io.kvmesh.controller.index.Placement;
import io.kvmesh.controller.index.PrefixMatch;
import io.kvmesh.controller.index.WorkerChange;
import io.kvmesh.controller.index.redis.RedisIndex;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The durable view as the one that answers lookups. Who may hold a chunk is known from the registry
 * and is not asked for: a prefix takes one question to each location of each live worker of that
 * rank (rank 0 may be everybody's, of models whose ranks hold the same). Any thread.
 */
final class DurableServing implements ChunkIndex {

  private final RedisIndex durable;
  private final WorkerRegistry registry;
  private volatile Supplier<String> life = () -> "";

  DurableServing(RedisIndex durable, WorkerRegistry registry) {
    this.durable = durable;
    this.registry = registry;
  }

  /**
   * From where it is known in which life the durable view is whole: in any other it is not asked.
   */
  void serves(Supplier<String> wholeLife) {
    life = wholeLife;
  }

  /** Changes are made by the partitions' owners alone. */
  @Override
  public ChangeOutcome apply(WorkerChange change) {
    throw new UnsupportedOperationException("This is the reading side of the durable view");
  }

  @Override
  public int prefix(WorkerId worker, String location, Keyspace keyspace, long[] hashBits) {
    return durable.prefix(worker, location, keyspace, hashBits);
  }

  @Override
  public List<PrefixMatch> prefixes(
      Keyspace keyspace, long[] hashBits, Predicate<WorkerId> eligible) {
    Map<WorkerId, Boolean> asked = new HashMap<>();
    return durable.prefixes(keyspace, hashBits, places(keyspace), life.get()).stream()
        .filter(match -> asked.computeIfAbsent(match.worker(), eligible::test))
        .toList();
  }

  @Override
  public List<Placement> holders(Keyspace keyspace, long hashBits) {
    return durable.prefixes(keyspace, new long[] {hashBits}, places(keyspace), life.get()).stream()
        .map(match -> new Placement(match.worker(), match.location()))
        .toList();
  }

  private List<Placement> places(Keyspace keyspace) {
    int rank = keyspace.rank();
    return registry.workers().stream()
        .filter(worker -> worker.state().isOffered() && (rank == 0 || worker.id().rank() == rank))
        .flatMap(DurableServing::places)
        .toList();
  }

  private static Stream<Placement> places(WorkerView worker) {
    return worker.locations().keySet().stream()
        .map(location -> new Placement(worker.id(), location));
  }

  @Override
  public KeyTotals totals(WorkerId worker, String location) {
    return durable.totals(worker, location);
  }

  @Override
  public KeyTotals totals(WorkerId worker) {
    return durable.totals(worker);
  }

  @Override
  public Map<Keyspace, Long> countByKeyspace() {
    return durable.countByKeyspace();
  }
}
