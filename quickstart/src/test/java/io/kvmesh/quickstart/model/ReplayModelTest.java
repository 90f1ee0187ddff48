package io.kvmesh.quickstart.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.quickstart.options.Policy;
import io.kvmesh.quickstart.workload.Prompt;
import io.kvmesh.quickstart.workload.Workload;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplayModelTest {

  @ParameterizedTest
  @CsvSource({
    "1500, 4, 1000, LRU, 1974, 1394, 38334, 35728, 4000",
    "1500, 3, 2000, LRU, 2652, 2813, 36237, 33050, 6000",
    "1500, 4, 20000, LRU, 4895, 6173, 30634, 0, 36807",
    "1500, 1, 1000, LRU, 1642, 0, 40060, 39060, 1000",
    "1500, 1, 1000, FIFO, 1642, 0, 40060, 39060, 1000",
    "1500, 1, 1000, LFU, 1729, 0, 39973, 38973, 1000",
    "1500, 1, 1000, MRU, 1862, 0, 39840, 38803, 1000",
    "12031, 1, 5000, LRU, 31877, 0, 256623, 251623, 5000",
    "12031, 1, 5000, FIFO, 30507, 0, 257993, 252669, 5000",
    "12031, 1, 5000, LFU, 26626, 0, 261874, 256874, 5000",
    "12031, 1, 5000, MRU, 14609, 0, 273891, 267519, 5000",
    "12031, 4, 5000, LRU, 34919, 44146, 209435, 233581, 20000",
    "12031, 4, 20000, LRU, 52805, 50876, 184819, 155695, 80000",
  })
  void replay_chatTrace_givesKnownNumbers(
      int requests,
      int workers,
      int chunks,
      Policy policy,
      long local,
      long peer,
      long miss,
      long evictions,
      long resident) {
    Counts expected =
        ReplayModel.replay(TraceFile.requirePresent(requests), workers, chunks, policy);

    assertThat(expected)
        .extracting(
            Counts::requests,
            Counts::local,
            Counts::peer,
            Counts::miss,
            Counts::evictions,
            Counts::resident)
        .containsExactly((long) requests, local, peer, miss, evictions, resident);
  }

  @Test
  void replay_promptLargerThanCache_countsWhatFoundNoRoom() {
    Workload workload =
        new Workload("tiny", List.of(new Prompt(1, 2, 3, 4, 5), new Prompt(1, 2, 9)));

    Counts expected = ReplayModel.replay(workload, 2, 3, Policy.LRU);

    assertThat(expected).isEqualTo(new Counts(2, 0, 2, 6, 2, 0, 6));
  }

  @Test
  void replay_chunkBehindGap_canBeVictimBeforeItsTurn() {
    // 4 evicts 1, so that 2 and 3 lie behind a gap. They aren't in use before their turn: putting 1
    // evicts 2, putting 2 evicts 3, and putting 3 evicts 4.
    Workload workload =
        new Workload("gap", List.of(new Prompt(1, 2, 3), new Prompt(4), new Prompt(1, 2, 3)));

    Counts expected = ReplayModel.replay(workload, 1, 3, Policy.LRU);

    assertThat(expected).isEqualTo(new Counts(3, 0, 0, 7, 0, 4, 3));
  }
}
