package io.kvmesh.controller.command;

import static io.kvmesh.controller.fixture.Workers.CPU;
import static io.kvmesh.controller.fixture.Workers.foreign;
import static io.kvmesh.controller.fixture.Workers.live;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.control.CancelDrainWorkerMsg;
import io.kvmesh.common.wire.control.CheckDrainWorkerMsg;
import io.kvmesh.common.wire.control.DrainWorkerMsg;
import io.kvmesh.common.wire.control.DrainWorkerRetMsg;
import io.kvmesh.common.wire.control.MoveOutcome;
import io.kvmesh.common.wire.control.UndrainWorkerMsg;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What of a drain is sent to whom, and what the answers mean; the workers are the test. */
class DrainCommandTest {

  private final CommandFixture fixture = new CommandFixture(Duration.ofSeconds(80), 8);

  private static Command.Drain drain(@Nullable Integer rank, @Nullable String target) {
    return new Command.Drain("A", CPU, rank, target, 0, 0);
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
    fixture.agents("A", 0, 1);

    String id = fixture.accepted(drain(null, null)).id();
    fixture.accepted(new Command.Drain("A", CPU, 1, null, 5, 7));

    assertThat(id).startsWith("Drain");
    assertThat(fixture.request(0, DrainWorkerMsg.class))
        .isEqualTo(new DrainWorkerMsg("Worker0" + id, CPU, null, 70_000, 0));
    assertThat(fixture.request(1, DrainWorkerMsg.class).workerEventId()).isEqualTo("Worker1" + id);
    assertThat(fixture.sent).as("the second waits for its turn").hasSize(2);
    fixture.sent.get(1).reply(drained(1, 0, null));
    assertThat(fixture.request(2, DrainWorkerMsg.class).deadlineMillis()).isEqualTo(5);
    assertThat(fixture.request(2, DrainWorkerMsg.class).maxBytes()).isEqualTo(7);
    assertThat(fixture.service.submit(drain(3, null), null))
        .isEqualTo(new Submission.UnknownRank("A", 3));
  }

  @Test
  void targetThatIsNamed_getsItRankByRank() {
    fixture.agents("A", 0, 1);
    fixture.agents("B", 0, 1, 2);
    fixture.agents("C", 0);

    fixture.accepted(drain(null, "B"));

    assertThat(fixture.request(0, DrainWorkerMsg.class).peerInitUrl()).isEqualTo("url-B0");
    assertThat(fixture.request(1, DrainWorkerMsg.class).peerInitUrl()).isEqualTo("url-B1");
    assertThat(fixture.service.submit(drain(null, "C"), null))
        .isEqualTo(
            new Submission.Impossible(
                "chunks go from rank to rank, and A has 2 of them where C has 1"));
    assertThat(fixture.service.submit(drain(1, "C"), null))
        .isInstanceOf(Submission.Impossible.class);
    assertThat(fixture.service.submit(drain(0, "C"), null)).isInstanceOf(Submission.Accepted.class);
    assertThat(fixture.service.submit(drain(null, "A"), null))
        .isInstanceOf(Submission.Impossible.class);
    assertThat(fixture.service.submit(drain(null, "Z"), null))
        .isEqualTo(new Submission.UnknownInstance("Z", true));
  }

  @Test
  void undrain_isToldAtOnce_alsoWhileADrainIsUnderWay() {
    fixture.agents("A", 0, 1);
    fixture.accepted(drain(null, null));

    Submission.Accepted all = fixture.accepted(new Command.Undrain("A", null));
    fixture.accepted(new Command.Undrain("A", 1));

    assertThat(all.id()).startsWith("Undrain");
    assertThat(fixture.request(2, UndrainWorkerMsg.class).workerEventId())
        .isEqualTo("Worker0" + all.id());
    assertThat(fixture.request(3, UndrainWorkerMsg.class).workerEventId())
        .isEqualTo("Worker1" + all.id());
    assertThat(fixture.request(4, UndrainWorkerMsg.class)).isNotNull();
    fixture.sent.get(2).reply(drained(3, 4, "it was cancelled"));
    fixture.sent.get(3).reply(drained(0, 0, null));
    CommandView end = all.end().join();
    assertThat(end.state()).as("it did what it was told").isEqualTo(CommandView.State.DONE);
    assertThat(end.workers().getFirst().told())
        .isInstanceOfSatisfying(
            DrainWorkerRetMsg.class, told -> assertThat(told.chunks()).isEqualTo(7));
  }

  @Test
  void drain_isRefusedForALmcacheWorker() {
    fixture.registry.put(live(new WorkerId("A", 0), 1, foreign("url")));
    assertThat(fixture.accepted(drain(null, null)).end().join().workers().getFirst().outcome())
        .isEqualTo(
            new WorkerOutcome.Refused("an LMCache worker can't drain; move its chunks", null));
    Command undrain = new Command.Undrain("A", null);
    assertThat(fixture.accepted(undrain).end().join().workers().getFirst().outcome())
        .isEqualTo(new WorkerOutcome.Refused("an LMCache worker is never drained", null));
  }

  @Test
  void progressAndEnd_areToldPerWorker_withTheFirstThatAreLeft() {
    fixture.agents("A", 0, 1);
    Submission.Accepted command = fixture.accepted(drain(null, null));
    fixture.sent.get(0).reply(drained(3, 0, null));

    var asked = fixture.service.progress(command.id());
    assertThat(fixture.request(2, CheckDrainWorkerMsg.class).workerEventId())
        .isEqualTo("Worker1" + command.id());
    fixture.sent.get(2).reply(drained(2, 0, null));
    CommandView view = asked.join().orElseThrow();
    assertThat(view.state()).isEqualTo(CommandView.State.RUNNING);
    assertThat(view.tokens()).isEqualTo(80);

    fixture.sent.get(1).reply(drained(2, 300, "the target has no room"));
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
    fixture.agents("A", 0, 1);
    Submission.Accepted command = fixture.accepted(drain(null, null));
    fixture.sent.get(0).reply(drained(3, 0, null));

    var cancelled = fixture.service.cancel(command.id()).orElseThrow();

    assertThat(fixture.request(2, CancelDrainWorkerMsg.class).workerEventId())
        .isEqualTo("Worker1" + command.id());
    assertThat(cancelled).isNotDone();
    fixture.sent.get(1).reply(drained(1, 1, "it was cancelled"));
    assertThat(cancelled.join().state()).isEqualTo(CommandView.State.PARTIAL);
  }
}
