package io.kvmesh.controller.command;

import static io.kvmesh.controller.fixture.Workers.agent;
import static io.kvmesh.controller.fixture.Workers.foreign;
import static io.kvmesh.controller.fixture.Workers.live;
import static io.kvmesh.controller.fixture.Workers.view;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.control.ControlRequest;
import io.kvmesh.common.wire.control.PeerReach;
import io.kvmesh.common.wire.control.ReachOutcome;
import io.kvmesh.common.wire.control.ReachWorkerMsg;
import io.kvmesh.common.wire.control.ReachWorkerRetMsg;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerState;
import io.kvmesh.controller.trail.Trail;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Who is told to reach whom. */
class ReachCommandTest {

  private final WorkerRegistry registry = new WorkerRegistry();
  private final List<ControlRequest> sent = new CopyOnWriteArrayList<>();
  private final CommandService service =
      new CommandService(
          registry,
          (ip, port, request, timeout) -> {
            sent.add(request);
            return CompletableFuture.completedFuture(
                new CommandOutcome.Replied(
                    new ReachWorkerRetMsg(
                        List.of(new PeerReach("url", ReachOutcome.REACHED, 1, null)))));
          },
          new CommandSettings(
              Duration.ofSeconds(8), Duration.ofSeconds(80), 8, 4, Duration.ofMinutes(1)),
          new CommandCounts(),
          new Trail(() -> Instant.EPOCH),
          () -> Instant.EPOCH);

  private CommandView reach(String instance) {
    Submission.Accepted accepted =
        (Submission.Accepted) service.submit(new Command.Reach(instance, null), null);
    return accepted.end().join();
  }

  private List<String> peers(int index) {
    return ((ReachWorkerMsg) sent.get(index)).peers();
  }

  @Test
  void liveAgentsOfTheSameRankAndPages_areTried_inTheOrderThatBeginsAfterTheWorker() {
    for (String instance : List.of("A", "B", "C", "D")) {
      registry.put(live(new WorkerId(instance, 0), 1, agent("url-" + instance)));
    }
    registry.put(live(new WorkerId("B", 1), 1, agent("otherRank")));
    registry.put(live(new WorkerId("E", 0), 1, agent(null)));
    registry.put(live(new WorkerId("F", 0), 1, foreign("foreign")));
    registry.put(view(new WorkerId("G", 0), WorkerState.SILENT, 1, agent("silent")));

    CommandView view = reach("B");

    assertThat(peers(0)).containsExactly("url-C", "url-D", "url-A");
    assertThat(((ReachWorkerMsg) sent.getFirst()).timeoutMillis()).isEqualTo(7_000);
    assertThat(view.state()).isEqualTo(CommandView.State.DONE);
    assertThat(sent).as("rank 1 has nobody to reach").hasSize(1);
  }

  @Test
  void ofManyPeers_eachWorkerTriesOthers() {
    for (int i = 0; i < 50; i++) {
      registry.put(live(new WorkerId("I" + (10 + i), 0), 1, agent("url-" + (10 + i))));
    }

    reach("I50");

    assertThat(peers(0)).hasSize(ReachWorkerMsg.MOST_PEERS).startsWith("url-51").contains("url-10");
  }

  @Test
  void lmcacheWorker_cannot() {
    registry.put(live(new WorkerId("A", 0), 1, foreign("url")));

    assertThat(reach("A").workers().getFirst().outcome())
        .isEqualTo(new WorkerOutcome.Refused("an LMCache worker can't try its peers", null));
  }
}
