package io.kvmesh.controller.command;

import static io.kvmesh.controller.fixture.Workers.foreign;
import static io.kvmesh.controller.fixture.Workers.live;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.control.ClearWorkerMsg;
import io.kvmesh.common.wire.control.ClearWorkerRetMsg;
import io.kvmesh.common.wire.control.ErrorMsg;
import io.kvmesh.common.wire.control.HealthWorkerRetMsg;
import io.kvmesh.common.wire.control.MoveWorkerRetMsg;
import io.kvmesh.controller.trail.TrailEvent;
import io.kvmesh.controller.trail.TrailEvent.Kind;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Whom a command asks and in which turn, how it ends, and how long it can be asked for. */
class CommandServiceTest {

  private final CommandFixture fixture = new CommandFixture(Duration.ofSeconds(99), 3);

  @Test
  void unknownInstance_isToldAndAsksNobody() {
    assertThat(fixture.service.submit(CommandFixture.CLEAR, null))
        .isEqualTo(new Submission.UnknownInstance("A", false));
    assertThat(fixture.sent).isEmpty();
    assertThat(fixture.counts.refusals(CommandCounts.Refusal.UNKNOWN_INSTANCE)).isEqualTo(1);
  }

  @Test
  void beginEndAndRefusal_areOnTheTrail() {
    fixture.service.submit(CommandFixture.CLEAR, null);
    fixture.agents("A", 0);
    fixture.service.submit(CommandFixture.CLEAR, "mine");
    fixture.sent.getFirst().reply(new ClearWorkerRetMsg(5, 1L, 1L, 1L));
    fixture.service.submit(CommandFixture.CLEAR, "mine");

    assertThat(fixture.trail.read(null, EnumSet.allOf(Kind.class), event -> true, 10).events())
        .extracting(TrailEvent::instanceId, TrailEvent::text)
        .containsExactly(
            tuple("A", "Clear: no worker of A"),
            tuple("A", "Clear began: mine"),
            tuple("A", "Clear is over: mine, DONE"),
            tuple("A", "Clear: there is one of the id mine"));
  }

  @Test
  void allRanks_areAskedAtOnceInOrderAndAnsweredByRank() {
    fixture.agents("A", 10, 4, 3, 2, 1, 0);
    fixture.registry.put(live(new WorkerId("A", 11), 20, null));

    Submission.Accepted command = fixture.accepted(CommandFixture.CLEAR);

    assertThat(command.id()).startsWith("Clear");
    assertThat(fixture.sent)
        .extracting(one -> ((ClearWorkerMsg) one.request()).workerEventId())
        .containsExactly(
            IntStream.of(0, 1, 2, 3, 4, 10)
                .mapToObj(rank -> "Worker" + rank + command.id())
                .toArray(String[]::new));
    fixture.sent.get(0).reply(new ClearWorkerRetMsg(512, 9L, 77L, 2L));
    fixture.sent.get(1).reply(new ErrorMsg("no", "busy"));
    fixture.sent.get(2).outcome().complete(new CommandOutcome.TimedOut());
    fixture.sent.get(3).reply(new HealthWorkerRetMsg(0));
    fixture.sent.get(4).outcome().complete(new CommandOutcome.Undecodable("c1"));
    assertThat(command.end()).isNotDone();
    assertThat(fixture.service.find(command.id()).orElseThrow().state())
        .isEqualTo(CommandView.State.RUNNING);
    assertThat(fixture.service.find(command.id()).orElseThrow().workers().get(1).outcome())
        .isEqualTo(new WorkerOutcome.Refused("no", "busy"));
    fixture.sent.get(5).outcome().complete(new CommandOutcome.Unreachable("gone"));

    CommandView end = command.end().join();
    assertThat(end.workers())
        .extracting(result -> Objects.requireNonNull(result.outcome()).kind())
        .containsExactly(
            WorkerOutcome.Kind.DONE,
            WorkerOutcome.Kind.REFUSED,
            WorkerOutcome.Kind.TIMED_OUT,
            WorkerOutcome.Kind.UNEXPECTED,
            WorkerOutcome.Kind.UNDECODABLE,
            WorkerOutcome.Kind.UNREACHABLE,
            WorkerOutcome.Kind.UNREGISTERED);
    assertThat(end.state()).isEqualTo(CommandView.State.PARTIAL);
    assertThat(end.tokens()).isEqualTo(512);
    assertThat(fixture.counts.outcomes(WorkerOutcome.Kind.UNREGISTERED)).isEqualTo(1);
  }

  @Test
  void stateOfTheEnd_isDoneOrFailed() {
    fixture.agents("A", 0, 1);
    Submission.Accepted good = fixture.accepted(new Command.Health("A"));
    fixture.sent.forEach(one -> one.reply(new HealthWorkerRetMsg(0)));
    assertThat(good.end().join().state()).isEqualTo(CommandView.State.DONE);
    assertThat(good.id()).startsWith("health");

    fixture.sent.clear();
    Submission.Accepted bad = fixture.accepted(CommandFixture.CLEAR);
    fixture.sent.forEach(one -> one.outcome().complete(new CommandOutcome.TimedOut()));
    assertThat(bad.end().join().state()).isEqualTo(CommandView.State.FAILED);
  }

  @Test
  void foreignWorker_isAskedOneThingAtATime() {
    fixture.registry.put(live(new WorkerId("A", 0), 1, foreign("url")));
    Submission.Accepted first = fixture.accepted(CommandFixture.CLEAR);
    Submission.Accepted second = fixture.accepted(new Command.Health("A"));

    assertThat(fixture.sent).hasSize(1);
    fixture.sent.getFirst().reply(new ClearWorkerRetMsg(1));
    assertThat(first.end()).isDone();
    assertThat(fixture.sent).hasSize(2);
    fixture.sent.getLast().reply(new HealthWorkerRetMsg(0));
    assertThat(second.end().join().state()).isEqualTo(CommandView.State.DONE);
  }

  @Test
  void agent_hasOneMoveAtATimeAndAnswersOtherThingsMeanwhile() {
    fixture.agents("A", 0);
    fixture.agents("B", 0);
    Submission.Accepted first = fixture.accepted(CommandFixture.move("A", "B"));
    Submission.Accepted second = fixture.accepted(CommandFixture.move("A", "B"));
    Submission.Accepted health = fixture.accepted(new Command.Health("A"));

    assertThat(fixture.sent).hasSize(2);
    fixture.sent.get(1).reply(new HealthWorkerRetMsg(-1));
    assertThat(health.end()).isDone();
    fixture.sent.get(0).reply(new MoveWorkerRetMsg(1));
    fixture.sent.get(2).reply(new MoveWorkerRetMsg(2));
    assertThat(first.end().join().tokens()).isEqualTo(1);
    assertThat(second.end().join().tokens()).isEqualTo(2);
  }

  @Test
  void turnThatDoesNotCome_isNotSent() {
    fixture.registry.put(live(new WorkerId("A", 0), 1, foreign("url")));
    CommandService hasty =
        fixture.service(
            new CommandSettings(
                Duration.ofMillis(50), Duration.ofMillis(50), 3, 3, Duration.ofMinutes(1)));
    var first = (Submission.Accepted) hasty.submit(CommandFixture.CLEAR, null);
    var second = (Submission.Accepted) hasty.submit(CommandFixture.CLEAR, null);

    assertThat(CommandFixture.error(second)).contains("its turn did not come within 50 ms");
    assertThat(fixture.sent).hasSize(1);
    fixture.sent.getFirst().reply(new ClearWorkerRetMsg(3));
    assertThat(first.end().join().tokens()).isEqualTo(3);
    var third = (Submission.Accepted) hasty.submit(CommandFixture.CLEAR, null);
    fixture.sent.getLast().reply(new ClearWorkerRetMsg(4));
    assertThat(third.end().join().tokens()).isEqualTo(4);
  }

  @Test
  void id_isTakenOnceAndFindsTheCommandUntilItIsForgotten() {
    fixture.agents("A", 0);
    Submission.Accepted mine =
        (Submission.Accepted) fixture.service.submit(CommandFixture.CLEAR, "mine");
    assertThat(mine.id()).isEqualTo("mine");
    assertThat(fixture.service.submit(CommandFixture.CLEAR, "mine"))
        .isEqualTo(new Submission.Duplicate("mine"));
    fixture.sent.getLast().reply(new ClearWorkerRetMsg(1));
    assertThat(fixture.service.submit(CommandFixture.CLEAR, "mine"))
        .isEqualTo(new Submission.Duplicate("mine"));
    assertThat(fixture.service.find("mine").orElseThrow().finishedMillis()).isEqualTo(1000);

    fixture.now = fixture.now.plus(Duration.ofMinutes(1));
    assertThat(fixture.service.find("mine")).isPresent();
    fixture.now = fixture.now.plusMillis(1);
    assertThat(fixture.service.find("mine")).isEmpty();
    assertThat(fixture.service.find("never")).isEmpty();
    assertThat(fixture.service.submit(CommandFixture.CLEAR, "mine"))
        .isInstanceOf(Submission.Accepted.class);
  }

  @Test
  void commandsUnderWayAndKept_areBounded() {
    fixture.agents("A", 0);
    for (int i = 0; i < 3; i++) {
      assertThat(fixture.service.submit(CommandFixture.CLEAR, "r" + i))
          .isInstanceOf(Submission.Accepted.class);
    }
    assertThat(fixture.service.submit(CommandFixture.CLEAR, "more"))
        .isEqualTo(new Submission.Overloaded(3));
    assertThat(fixture.service.running()).isEqualTo(3);
    assertThat(fixture.counts.refusals(CommandCounts.Refusal.OVERLOADED)).isEqualTo(1);
    fixture.sent.forEach(one -> one.reply(new ClearWorkerRetMsg(1)));
    for (int i = 0; i < 3; i++) {
      fixture.now = fixture.now.plusMillis(1);
      fixture.service.submit(CommandFixture.CLEAR, "s" + i);
      fixture.sent.getLast().reply(new ClearWorkerRetMsg(1));
    }

    assertThat(fixture.service.list())
        .extracting(CommandView::id)
        .containsExactly("s2", "s1", "s0", "r2");
  }
}
