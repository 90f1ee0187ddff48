package io.kvmesh.quickstart.simulate;

import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.quickstart.workload.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A workload on one cache, with the policies that agents use. */
public final class Simulation {

  private final Workload workload;
  private final NumberedBlocks blocks;

  /**
   * Of all requests of a workload.
   *
   * @param keyspace that of the replay whose cache is simulated: a policy may depend on keys
   */
  public Simulation(Workload workload, Keyspace keyspace) {
    this.workload = workload;
    this.blocks = NumberedBlocks.of(workload, keyspace);
  }

  /** Every policy, and the optimum, at every size. */
  public HitTable table(List<Integer> sizes) {
    List<HitTable.Row> rows = new ArrayList<>();
    for (PolicyName policy : PolicyName.values()) {
      List<Long> hits = sizes.stream().map(chunks -> replay(policy, chunks).hits()).toList();
      rows.add(new HitTable.Row(policy.name().toLowerCase(Locale.ROOT), hits));
    }
    rows.add(
        new HitTable.Row(
            HitTable.OPTIMUM,
            sizes.stream().map(chunks -> new Optimum(blocks, chunks).hits()).toList()));
    return new HitTable(
        workload.name(), blocks.requests(), workload.chunks(), blocks.distinct(), sizes, rows);
  }

  /** One policy at one size. */
  public CacheCounts replay(PolicyName policy, int chunks) {
    return new SimulatedCache(blocks, chunks, policy.create(chunks)).replay();
  }
}
