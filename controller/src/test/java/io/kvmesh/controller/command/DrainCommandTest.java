package io.kvmesh.controller.command;

import static io.kvmesh.controller.fixture.Workers.CPU;
import static io.kvmesh.controller.fixture.Workers.agent;
import static io.kvmesh.controller.fixture.Workers.foreign;
import static io.kvmesh.controller.fixture.Workers.live;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.control.CancelDrainWorkerMsg;
import io.kvmesh.common.wire.control.CheckDrainWorkerMsg;
import io.kvmesh.common.wire.control.ControlReply;
import io.kvmesh.common.wire.control.ControlRequest;
import io.kvmesh.common.wire.control.DrainWorkerMsg;
import io.kvmesh.common.wire.control.DrainWorkerRetMsg;
import io.kvmesh.common.wire.control.MoveOutcome;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.trail.Trail;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What of a drain is sent to whom, and what the answers mean; the workers are the test. */
class DrainCommandTest {

  private record Sent(ControlRequest request, CompletableFuture<CommandOutcome> outcome) {

    void reply(ControlReply reply) {
      outcome.complete(new CommandOutcome.Replied(reply));
    }
  }

  private final WorkerRegistry registry = new WorkerRegistry();
  private final List<Sent> sent = new CopyOnWriteArrayList<>();
  private final CommandService service =
      new CommandService(
          registry,
          (ip, port, request, timeout) -> {
            Sent it = new Sent(request, new CompletableFuture<>());
            sent.add(it);
            return it.outcome;
          },
          new CommandSettings(
              Duration.ofSeconds(9), Duration.ofSeconds(80), 8, 4, Duration.ofMinutes(1)),
          new CommandCounts(),
          new Trail(() -> Instant.EPOCH),
          () -> Instant.EPOCH);

  private void agents(String instance, int... ranks) {
    for (int rank : ranks) {
      registry.put(live(new WorkerId(instance, rank), 1, agent("url-" + instance + rank)));
    }
  }

  private static Command.Drain drain(@Nullable Integer rank, @Nullable String target) {
    return new Command.Drain("A", CPU, rank, target, 0, 0);
  }

  private Submission.Accepted accepted(Command command) {
    return (Submission.Accepted) service.submit(command, null);
  }

  private <T extends ControlRequest> T request(int index, Class<T> type) {
    return type.cast(sent.get(index).request);
  }

  private static DrainWorkerRetMsg drained(int copied, int left, @Nullable String stopped) {
    return new DrainWorkerRetMsg(
        16L * copied,
        1,
        2,
        copied + left,
        4096L * copied,
        Map.of(MoveOutcome.COPIED, copied, MoveOutcome.NO_SPACE, left),
        List.of("url-B0"),
        Collections.nCopies(left, "m@1@0@1@half"),
        Collections.nCopies(left, MoveOutcome.NO_SPACE),
        stopped);
  }

  @Test
  void drain_isToldToAllRanks_orToOne() {
    agents("A", 0, 1);

    String id = accepted(drain(null, null)).id();
    accepted(new Command.Drain("A", CPU, 1, null, 5, 7));

    assertThat(id).startsWith("Drain");
    assertThat(request(0, DrainWorkerMsg.class))
        .isEqualTo(new DrainWorkerMsg("Worker0" + id, CPU, null, 70_000, 0));
    assertThat(request(1, DrainWorkerMsg.class).workerEventId()).isEqualTo("Worker1" + id);
    assertThat(sent).as("the second waits for its turn").hasSize(2);
    sent.get(1).reply(drained(1, 0, null));
    assertThat(request(2, DrainWorkerMsg.class).deadlineMillis()).isEqualTo(5);
    assertThat(request(2, DrainWorkerMsg.class).maxBytes()).isEqualTo(7);
    assertThat(service.submit(drain(3, null), null)).isEqualTo(new Submission.UnknownRank("A", 3));
  }

  @Test
  void targetThatIsNamed_getsItRankByRank() {
    agents("A", 0, 1);
    agents("B", 0, 1, 2);
    agents("C", 0);

    accepted(drain(null, "B"));

    assertThat(request(0, DrainWorkerMsg.class).peerInitUrl()).isEqualTo("url-B0");
    assertThat(request(1, DrainWorkerMsg.class).peerInitUrl()).isEqualTo("url-B1");
    assertThat(service.submit(drain(null, "C"), null))
        .isEqualTo(
            new Submission.Impossible(
                "chunks go from rank to rank, and A has 2 of them where C has 1"));
    assertThat(service.submit(drain(1, "C"), null)).isInstanceOf(Submission.Impossible.class);
    assertThat(service.submit(drain(0, "C"), null)).isInstanceOf(Submission.Accepted.class);
    assertThat(service.submit(drain(null, "A"), null)).isInstanceOf(Submission.Impossible.class);
    assertThat(service.submit(drain(null, "Z"), null))
        .isEqualTo(new Submission.UnknownInstance("Z", true));
  }

  @Test
  void drain_isRefusedForALmcacheWorker() {
    registry.put(live(new WorkerId("A", 0), 1, foreign("url")));
    assertThat(accepted(drain(null, null)).end().join().workers().getFirst().outcome())
        .isEqualTo(
            new WorkerOutcome.Refused("an LMCache worker can't drain; move its chunks", null));
  }

  @Test
  void progressAndEnd_areToldPerWorker_withTheFirstThatAreLeft() {
    agents("A", 0, 1);
    Submission.Accepted command = accepted(drain(null, null));
    sent.get(0).reply(drained(3, 0, null));

    var asked = service.progress(command.id());
    assertThat(request(2, CheckDrainWorkerMsg.class).workerEventId())
        .isEqualTo("Worker1" + command.id());
    sent.get(2).reply(drained(2, 0, null));
    CommandView view = asked.join().orElseThrow();
    assertThat(view.state()).isEqualTo(CommandView.State.RUNNING);
    assertThat(view.tokens()).isEqualTo(80);

    sent.get(1).reply(drained(2, 300, "the target has no room"));
    CommandView end = command.end().join();
    assertThat(end.state()).isEqualTo(CommandView.State.PARTIAL);
    assertThat(end.workers().get(1).outcome())
        .isInstanceOfSatisfying(
            WorkerOutcome.Stopped.class,
            stopped -> {
              assertThat(stopped.reason()).isEqualTo("the target has no room");
              assertThat(((DrainWorkerRetMsg) stopped.reply()).left()).hasSize(100);
            });
  }

  @Test
  void cancel_isToldToThoseThatAreAtIt() {
    agents("A", 0, 1);
    Submission.Accepted command = accepted(drain(null, null));
    sent.get(0).reply(drained(3, 0, null));

    var cancelled = service.cancel(command.id()).orElseThrow();

    assertThat(request(2, CancelDrainWorkerMsg.class).workerEventId())
        .isEqualTo("Worker1" + command.id());
    assertThat(cancelled).isNotDone();
    sent.get(1).reply(drained(1, 1, "it was cancelled"));
    assertThat(cancelled.join().state()).isEqualTo(CommandView.State.PARTIAL);
  }
}
