package io.kvmesh.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.kvmesh.quickstart.options.Ports;
import io.kvmesh.quickstart.replay.Outcome;
import io.kvmesh.quickstart.workload.Workload;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each policy alone on one worker. The four workers share one fleet, replay the same chunks at the
 * same time, and must not notice each other, since each has a model of its own.
 */
class PolicyReplayIT {

  private static final int CHUNKS = 1_000;
  private static final int PAGE_BYTES = 1_024;

  private final Http http = new Http();

  @Test
  void replay_eachPolicyOnOneWorker_givesExactlyWhatTheRulesGive(@TempDir Path folder)
      throws Exception {
    Workload workload =
        TraceFile.isPresent() ? TraceFile.requirePresent(1_500) : Session.generated(1_500);
    try (Fleet fleet =
        Fleet.create(settings(), Modules.ofThisBuild(), WorkFolder.create(folder), http)) {
      fleet.start();

      List<Running> replays =
          fleet.agents().stream().map(agent -> start(fleet, agent, workload)).toList();

      for (Running running : replays) {
        assertThat(Counts.of(running.replay.get()))
            .as("%s", running.policy)
            .isEqualTo(ReplayModel.replay(workload, 1, CHUNKS, running.policy));
      }
    }
  }

  private record Running(Policy policy, FutureTask<Outcome> replay) {}

  /** An agent is named after its policy, and so is its model. */
  private Running start(Fleet fleet, Member agent, Workload workload) {
    FleetReplay replay = new FleetReplay(fleet, List.of(agent), agent.name(), http, PAGE_BYTES);
    FutureTask<Outcome> task = new FutureTask<>(() -> replay.run(workload, (done, tally) -> {}));
    Thread.ofPlatform().daemon().name("replay-" + agent.name()).start(task);
    return new Running(Policy.valueOf(agent.name().toUpperCase(Locale.ROOT)), task);
  }

  private static FleetSettings settings() {
    List<AgentSpec> agents =
        Arrays.stream(Policy.values())
            .map(policy -> new AgentSpec(policy.settingName(), policy.settingName(), policy))
            .toList();
    return new FleetSettings(agents, CHUNKS, PAGE_BYTES, Ports.ANY);
  }
}
