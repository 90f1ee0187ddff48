package io.kvmesh.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.quickstart.fleet.AgentSpec;
import io.kvmesh.quickstart.fleet.Fleet;
import io.kvmesh.quickstart.fleet.FleetSettings;
import io.kvmesh.quickstart.fleet.Http;
import io.kvmesh.quickstart.fleet.Member;
import io.kvmesh.quickstart.fleet.Modules;
import io.kvmesh.quickstart.fleet.WorkFolder;
import io.kvmesh.quickstart.model.Counts;
import io.kvmesh.quickstart.model.ReplayModel;
import io.kvmesh.quickstart.model.TraceFile;
import io.kvmesh.quickstart.options.Policy;
import io.kvmesh.quickstart.replay.Outcome;
import io.kvmesh.quickstart.simulate.CacheCounts;
import io.kvmesh.quickstart.simulate.Simulation;
import io.kvmesh.quickstart.workload.Workload;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Several replays at the same time on one fleet, each on agents of its own. They ask for the same
 * chunks, and must not notice each other, since each has a model of its own. Takes minutes: runs
 * with the profile {@code replays} only.
 */
@Tag("replay")
@Isolated("keeps all processors busy by itself")
class ReplayIT {

  private static final int PAGE_BYTES = 1_024;
  private static final int EVERY_CHUNK = 20_000;

  private static final List<Row> ROWS =
      List.of(
          new Row("lru", 1, 1_000, Policy.LRU, 1_500),
          new Row("fifo", 1, 1_000, Policy.FIFO, 1_500),
          new Row("lfu", 1, 1_000, Policy.LFU, 1_500),
          new Row("mru", 1, 1_000, Policy.MRU, 1_500),
          new Row("four", 4, 1_000, Policy.LRU, 1_500),
          new Row("three", 3, 2_000, Policy.LRU, 1_500),
          new Row("unbounded", 4, EVERY_CHUNK, Policy.LRU, 1_500),
          new Row("s3fifo", 1, 1_000, Policy.S3FIFO, 1_500),
          new Row("adaptive", 1, 1_000, Policy.ADAPTIVE, 1_500));

  private final Http http = new Http();

  /** A replay of {@code requests} on agents of that model. */
  private record Row(String model, int workers, int chunks, Policy policy, int requests) {

    Stream<AgentSpec> agents() {
      return IntStream.range(0, workers)
          .mapToObj(i -> new AgentSpec(model + "-" + i, model, policy, chunks));
    }

    Workload workload() {
      return TraceFile.isPresent()
          ? TraceFile.requirePresent(requests)
          : Session.generated(requests);
    }

    Counts expected() {
      return switch (policy) {
        case LRU, FIFO, LFU, MRU -> ReplayModel.replay(workload(), workers, chunks, policy);
        case S3FIFO, ADAPTIVE -> simulated();
      };
    }

    /** Of one worker. The simulation has no process, no cache and no events, but the policies. */
    private Counts simulated() {
      CacheCounts counts =
          new Simulation(workload(), FleetReplay.keyspace(model))
              .replay(PolicyName.parse(policy.settingName()), chunks);
      return new Counts(
          workload().prompts().size(),
          counts.hits(),
          0,
          counts.misses(),
          counts.notStored(),
          counts.evictions(),
          counts.resident());
    }
  }

  private record Running(Row row, FutureTask<Outcome> replay) {}

  @Test
  void replay_manyPoliciesAndSizesAtOnce_eachGivesExactlyWhatTheRulesGive(@TempDir Path folder)
      throws Exception {
    List<AgentSpec> agents = ROWS.stream().flatMap(Row::agents).toList();
    FleetSettings settings = new FleetSettings(1, agents, PAGE_BYTES);
    try (Fleet fleet =
        Fleet.create(settings, Modules.ofThisBuild(), WorkFolder.create(folder), http)) {
      fleet.start();

      List<Running> replays = ROWS.stream().map(row -> start(fleet, row)).toList();

      for (Running running : replays) {
        assertThat(Counts.of(running.replay.get()))
            .as("%s", running.row)
            .isEqualTo(running.row.expected());
      }
    }
  }

  private Running start(Fleet fleet, Row row) {
    List<Member> agents =
        fleet.agents().stream().filter(agent -> agent.name().startsWith(row.model + "-")).toList();
    FleetReplay replay = new FleetReplay(fleet, agents, row.model, http, PAGE_BYTES);
    FutureTask<Outcome> task =
        new FutureTask<>(() -> replay.run(row.workload(), (done, tally) -> {}));
    Thread.ofPlatform().daemon().name("replay-" + row.model).start(task);
    return new Running(row, task);
  }
}
