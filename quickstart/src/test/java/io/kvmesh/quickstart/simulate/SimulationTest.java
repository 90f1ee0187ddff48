package io.kvmesh.quickstart.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.quickstart.model.Counts;
import io.kvmesh.quickstart.model.ReplayModel;
import io.kvmesh.quickstart.model.TraceFile;
import io.kvmesh.quickstart.options.Policy;
import io.kvmesh.quickstart.report.SimulationTable;
import io.kvmesh.quickstart.workload.Conversations;
import io.kvmesh.quickstart.workload.Prompt;
import io.kvmesh.quickstart.workload.Workload;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class SimulationTest {

  private static final Keyspace KEYSPACE = Keyspace.of("model", 1, 0, "half", List.of());

  @ParameterizedTest
  @EnumSource(names = {"LRU", "FIFO", "LFU", "MRU"})
  void replay_smallCaches_givesWhatTheRulesGive(Policy policy) {
    Workload workload = Conversations.generate(1_000, 3);
    for (int chunks : new int[] {1, 3, 20, 100, 700, 100_000}) {
      Counts expected = ReplayModel.replay(workload, 1, chunks, policy);
      assertThat(simulation(workload).replay(PolicyName.valueOf(policy.name()), chunks))
          .as("%d chunks", chunks)
          .isEqualTo(
              new CacheCounts(
                  expected.local(),
                  expected.miss(),
                  expected.notStored(),
                  expected.evictions(),
                  expected.resident()));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1500, 1000, LRU, 1642, 40060, 39060, 1000",
    "1500, 1000, FIFO, 1642, 40060, 39060, 1000",
    "1500, 1000, LFU, 1729, 39973, 38973, 1000",
    "1500, 1000, MRU, 1862, 39840, 38803, 1000",
    "12031, 5000, LRU, 31877, 256623, 251623, 5000",
    "12031, 5000, FIFO, 30507, 257993, 252669, 5000",
    "12031, 5000, LFU, 26626, 261874, 256874, 5000",
    "12031, 5000, MRU, 14609, 273891, 267519, 5000",
  })
  void replay_chatTrace_givesKnownNumbers(
      int requests,
      int chunks,
      PolicyName policy,
      long hits,
      long misses,
      long evictions,
      long resident) {
    CacheCounts counts = simulation(TraceFile.requirePresent(requests)).replay(policy, chunks);
    assertThat(counts.hits()).isEqualTo(hits);
    assertThat(counts.misses()).isEqualTo(misses);
    assertThat(counts.evictions()).isEqualTo(evictions);
    assertThat(counts.resident()).isEqualTo(resident);
  }

  /** Not its evictions: they depend on keys, of which it remembers a few bits each. */
  @Test
  void s3fifo_chatTrace_hitsAsOftenAsAPlainProgramThatForgetsNothing() {
    CacheCounts counts =
        simulation(TraceFile.requirePresent(1_500)).replay(PolicyName.S3FIFO, 1_000);
    assertThat(counts.hits()).isEqualTo(2_055);
    assertThat(counts.misses()).isEqualTo(39_647);
  }

  @Test
  void table_chatTrace_optimumIsTheKnownNumber() {
    HitTable table = simulation(TraceFile.requirePresent(12_031)).table(List.of(5_000));
    assertThat(table.rows().getLast())
        .isEqualTo(new HitTable.Row(HitTable.OPTIMUM, List.of(98_448L)));
  }

  @Test
  void optimum_smallCases_byHand() {
    assertThat(optimum(1, new Prompt(1), new Prompt(2), new Prompt(1), new Prompt(2))).isOne();
    assertThat(optimum(2, new Prompt(1), new Prompt(2), new Prompt(1), new Prompt(2))).isEqualTo(2);
    assertThat(optimum(2, new Prompt(1, 2), new Prompt(1, 3), new Prompt(1, 2))).isEqualTo(3);
    assertThat(optimum(1, new Prompt(1, 2), new Prompt(1, 2))).isOne();
  }

  @Test
  void table_noPolicyIsBetterThanTheOptimum() {
    Workload workload = Conversations.generate(2_000, 5);
    HitTable table = simulation(workload).table(List.of(10, 300, 2_000, 100_000));
    List<Long> optimum = table.rows().getLast().hits();
    for (HitTable.Row row : table.rows()) {
      for (int i = 0; i < optimum.size(); i++) {
        assertThat(row.hits().get(i)).as(row.policy()).isLessThanOrEqualTo(optimum.get(i));
      }
      assertThat(row.hits().getLast()).isEqualTo(table.chunks() - table.distinct());
    }
  }

  /** A twentieth of the smallest of these caches is made room in for one request at a time. */
  @Test
  void adaptive_generatedConversations_neverLosesBadly() {
    HitTable table =
        simulation(Conversations.generate(20_000, 7)).table(List.of(300, 1_000, 2_000, 5_000));
    for (int i = 0; i < table.sizes().size(); i++) {
      long better = Math.max(hits(table, "lru", i), hits(table, "s3fifo", i));
      assertThat(hits(table, "adaptive", i))
          .as("of %d chunks", table.sizes().get(i))
          .isGreaterThanOrEqualTo((long) (0.94 * better));
    }
  }

  @Test
  void format_hasEveryFigure() {
    HitTable table =
        new HitTable(
            "a trace",
            3,
            4_000,
            1_000,
            List.of(10, 2_000),
            List.of(
                new HitTable.Row("lru", List.of(7L, 1_234L)),
                new HitTable.Row(HitTable.OPTIMUM, List.of(400L, 2_000L))));
    assertThat(SimulationTable.format(table))
        .contains("a trace: 3 requests, 4,000 chunks, 1,000 of them different")
        .containsPattern("room for +10 +2,000\n")
        .containsPattern("lru +7 +0.2 % +1,234 +30.9 %\n")
        .containsPattern("optimum +400 +10.0 % +2,000 +50.0 %\n")
        .contains("With room for all: 3,000, 75.0 %.");
  }

  private static long hits(HitTable table, String policy, int size) {
    return table.rows().stream()
        .filter(row -> row.policy().equals(policy))
        .findFirst()
        .orElseThrow()
        .hits()
        .get(size);
  }

  private static long optimum(int chunks, Prompt... prompts) {
    Workload workload = new Workload("by hand", List.of(prompts));
    return new Optimum(NumberedBlocks.of(workload, KEYSPACE), chunks).hits();
  }

  private static Simulation simulation(Workload workload) {
    return new Simulation(workload, KEYSPACE);
  }
}
