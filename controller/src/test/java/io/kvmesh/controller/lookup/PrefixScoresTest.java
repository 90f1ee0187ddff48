package io.kvmesh.controller.lookup;

import static io.kvmesh.controller.fixture.Workers.CPU;
import static io.kvmesh.controller.fixture.Workers.agent;
import static io.kvmesh.controller.fixture.Workers.foreign;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.WorkerKind;
import io.kvmesh.controller.fixture.NaiveIndex;
import io.kvmesh.controller.registry.LastBeat;
import io.kvmesh.controller.registry.LocationView;
import io.kvmesh.controller.registry.SyncView;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerState;
import io.kvmesh.controller.registry.WorkerView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PrefixScoresTest {

  private static final String DISK = "LocalDiskBackend";
  private static final long[] TEN = LongStream.range(0, 10).toArray();

  private final NaiveIndex index = new NaiveIndex();
  private final WorkerRegistry registry = new WorkerRegistry();
  private final PrefixScores scores =
      new PrefixScores(index, registry, LocationWeights.parse(CPU + "=1,*=0.5"));
  private long epoch;

  private static Keyspace ranks(int worldSize, int rank) {
    return Keyspace.of("m", worldSize, rank, "bfloat16", List.of());
  }

  private static WorkerId id(String instance, int rank) {
    return new WorkerId(instance, rank);
  }

  private static long[] range(int from, int to) {
    return LongStream.range(from, to).toArray();
  }

  private void register(
      WorkerId id, WorkerState state, @Nullable Announcement announcement, String... locations) {
    Map<String, LocationView> views = new HashMap<>();
    for (String location : locations) {
      views.put(location, new LocationView(1, 1, 1, false, false, 0, 0, 0, 0));
    }
    epoch++;
    registry.put(
        new WorkerView(
            id,
            state,
            false,
            epoch,
            announcement,
            views,
            epoch,
            epoch,
            epoch,
            0,
            epoch,
            0,
            SyncView.NONE,
            LastBeat.UNTOLD));
  }

  private void agentAt(WorkerId id, String... locations) {
    register(id, WorkerState.LIVE, agent("url"), locations);
  }

  private InstanceScore only(Keyspace keyspace, boolean oneRank) {
    List<InstanceScore> found = scores.of(keyspace, TEN, oneRank);
    assertThat(found).hasSize(1);
    return found.getFirst();
  }

  @Test
  void eachInstance_getsItsOwnPrefixFromTheFirstChunk() {
    agentAt(id("A", 0), CPU);
    agentAt(id("B", 0), CPU);
    agentAt(id("C", 0), CPU);
    Keyspace keyspace = ranks(1, 0);
    index.admit(id("A", 0), CPU, keyspace, TEN);
    index.admit(id("B", 0), CPU, keyspace, range(0, 5));
    index.admit(id("C", 0), CPU, keyspace, range(5, 10));

    assertThat(scores.of(keyspace, TEN, true))
        .extracting(InstanceScore::instanceId, InstanceScore::chunks, InstanceScore::score)
        .containsExactly(tuple("A", 10, 10.0), tuple("B", 5, 5.0));

    index.drop(id("A", 0));
    assertThat(only(keyspace, true).instanceId()).isEqualTo("B");
  }

  @Test
  void enginesOwnMemory_countsByTheBestOfItsRanks_andApartFromAgents() {
    Keyspace blocks = Keyspace.ofEngine("m", 16);
    for (int rank = 0; rank < 2; rank++) {
      register(id("E", rank), WorkerState.LIVE, engine(), "GPU");
    }
    agentAt(id("A", 0), CPU);
    index.admit(id("E", 0), "GPU", blocks, range(0, 2));
    index.admit(id("E", 1), "GPU", blocks, range(0, 7));
    index.admit(id("A", 0), CPU, blocks, TEN);

    InstanceScore score = only(blocks, true);

    assertThat(score.instanceId()).isEqualTo("E");
    assertThat(score.chunks()).isEqualTo(7);
    assertThat(score.score()).isEqualTo(3.5);
    assertThat(score.ranks())
        .extracting(rank -> rank.worker().id(), InstanceScore.RankPrefix::chunks)
        .containsExactly(tuple(id("E", 1), 7));
  }

  private static Announcement engine() {
    return new Announcement(
        WorkerKind.ENGINE, "h", 5557, null, "m", null, 16, null, null, null, null, List.of());
  }

  @Test
  void shortestRank_isTheInstances() {
    agentAt(id("A", 0), CPU);
    agentAt(id("A", 1), CPU);
    index.admit(id("A", 0), CPU, ranks(2, 0), range(0, 8));
    index.admit(id("A", 1), CPU, ranks(2, 1), range(0, 3));

    InstanceScore score = only(ranks(2, 0), false);

    assertThat(score.chunks()).isEqualTo(3);
    assertThat(score.score()).isEqualTo(3.0);
    assertThat(score.ranks()).extracting(InstanceScore.RankPrefix::chunks).containsExactly(8, 3);
    assertThat(scores.of(ranks(2, 1), TEN, false)).isEqualTo(List.of(score));
  }

  @Test
  void rankThatIsGoneSilentOrEmpty_leavesNothingWhole() {
    agentAt(id("A", 0), CPU);
    index.admit(id("A", 0), CPU, ranks(2, 0), TEN);
    assertThat(only(ranks(2, 0), false).missingRanks()).isEqualTo(1);
    assertThat(only(ranks(2, 0), false).chunks()).isZero();

    register(id("A", 1), WorkerState.SILENT, agent("url"), CPU);
    index.admit(id("A", 1), CPU, ranks(2, 1), TEN);
    assertThat(only(ranks(2, 0), false).chunks()).isZero();
    assertThat(only(ranks(2, 0), false).missingRanks()).isZero();

    agentAt(id("A", 1), CPU);
    assertThat(only(ranks(2, 0), false).chunks()).isEqualTo(10);
    index.drop(id("A", 1));
    assertThat(only(ranks(2, 0), false).chunks()).isZero();
  }

  @Test
  void firstRankAlone_isEnoughWhereItKeepsAll() {
    agentAt(id("A", 0), CPU);
    agentAt(id("A", 1), CPU);
    index.admit(id("A", 0), CPU, ranks(1, 0), range(0, 7));

    InstanceScore score = only(ranks(1, 0), true);

    assertThat(score.chunks()).isEqualTo(7);
    assertThat(score.ranks()).extracting(rank -> rank.worker().id()).containsExactly(id("A", 0));
  }

  @Test
  void foreignWorkers_countAsFarAsTheyAreKnown() {
    register(id("F", 0), WorkerState.LIVE, foreign("url"), CPU);
    register(id("F", 1), WorkerState.LIVE, foreign("url"), CPU);
    agentAt(id("A", 0), CPU);
    index.admit(id("F", 0), CPU, Keyspace.foreign(0), range(0, 6));
    index.admit(id("F", 1), CPU, Keyspace.foreign(1), range(0, 4));

    InstanceScore score = only(Keyspace.foreign(0), false);

    assertThat(score.instanceId()).isEqualTo("F");
    assertThat(score.chunks()).isEqualTo(4);
    assertThat(only(Keyspace.foreign(0), true).chunks()).isEqualTo(6);
  }

  @Test
  void prefixGoesOnAtAnotherLocation_whichWeighsLess() {
    agentAt(id("A", 0), CPU, DISK);
    agentAt(id("B", 0), DISK);
    Keyspace keyspace = ranks(1, 0);
    index.admit(id("A", 0), CPU, keyspace, range(0, 4));
    index.admit(id("A", 0), DISK, keyspace, range(2, 8));
    index.admit(id("B", 0), DISK, keyspace, TEN);

    List<InstanceScore> found = scores.of(keyspace, TEN, true);

    assertThat(found).extracting(InstanceScore::instanceId).containsExactly("A", "B");
    assertThat(found).extracting(InstanceScore::chunks).containsExactly(8, 10);
    assertThat(found).extracting(InstanceScore::score).containsExactly(6.0, 5.0);
    assertThat(found.getFirst().ranks().getFirst().locations()).isEqualTo(Map.of(CPU, 4, DISK, 4));
  }

  @Test
  void nothingAskedOrNobodyKnown_nothingFound() {
    assertThat(scores.of(ranks(1, 0), TEN, true)).isEmpty();
    agentAt(id("A", 0), CPU, DISK);
    register(id("B", 0), WorkerState.LIVE, null, CPU);
    index.admit(id("A", 0), CPU, ranks(1, 0), TEN);
    index.admit(id("B", 0), CPU, ranks(1, 0), TEN);

    assertThat(scores.of(ranks(1, 0), new long[0], true)).isEmpty();
    assertThat(only(ranks(1, 0), true).instanceId()).isEqualTo("A");
  }

  @Test
  void weights_readAndChecked() {
    LocationWeights weights = LocationWeights.parse("a=2, b=0.25");

    assertThat(weights.of("a")).isEqualTo(2);
    assertThat(weights.of("b")).isEqualTo(0.25);
    assertThat(weights.of("c")).isZero();
    for (String wrong : List.of("", "a", "a=", "=1", "a=x", "a=-1", "a=NaN", "a=1,a=2", "a=1,")) {
      assertThatThrownBy(() -> LocationWeights.parse(wrong))
          .as(wrong)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
