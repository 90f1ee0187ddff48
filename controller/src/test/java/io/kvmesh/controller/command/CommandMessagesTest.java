package io.kvmesh.controller.command;

import static io.kvmesh.controller.fixture.Workers.CPU;
import static io.kvmesh.controller.fixture.Workers.agent;
import static io.kvmesh.controller.fixture.Workers.foreign;
import static io.kvmesh.controller.fixture.Workers.live;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.control.CompressWorkerMsg;
import io.kvmesh.common.wire.control.DecompressWorkerMsg;
import io.kvmesh.common.wire.control.HealthWorkerMsg;
import io.kvmesh.common.wire.control.MoveOutcome;
import io.kvmesh.common.wire.control.MoveWorkerMsg;
import io.kvmesh.common.wire.control.MoveWorkerRetMsg;
import io.kvmesh.common.wire.control.PinWorkerMsg;
import io.kvmesh.common.wire.control.PinWorkerRetMsg;
import io.kvmesh.common.wire.control.WorkerPosition;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What each command says to an agent and to an LMCache worker, and which can't be said. */
class CommandMessagesTest {

  private final CommandFixture fixture = new CommandFixture(Duration.ofSeconds(99), 3);

  @Test
  void messages_areThoseOfLmcache() {
    fixture.agents("A", 3);
    String pin = fixture.accepted(new Command.Pin("A", CPU, CommandFixture.TOKENS)).id();
    fixture.accepted(new Command.Unpin("A", CPU, Command.Chunks.ALL, pin));
    fixture.accepted(new Command.Compress("A", "zstd", CPU, CommandFixture.TOKENS));
    assertThat(fixture.sent.get(0).request())
        .isEqualTo(new PinWorkerMsg("Worker3" + pin, CPU, List.of(1L, 2L, 3L)));
    assertThat(fixture.sent.get(1).request())
        .isEqualTo(new PinWorkerMsg("Worker3" + pin, CPU, List.of(), null, true));
    CompressWorkerMsg compress = fixture.request(2, CompressWorkerMsg.class);
    assertThat(compress.workerEventId()).matches("CompressWorker3[0-9a-f-]{36}");
    assertThat(compress.tokens()).containsExactly(1L, 2L, 3L);
    fixture.sent.forEach(one -> one.reply(new PinWorkerRetMsg(1)));

    fixture.accepted(new Command.Decompress("A", "zstd", CPU, Command.Chunks.ALL));
    DecompressWorkerMsg decompress = fixture.request(3, DecompressWorkerMsg.class);
    assertThat(decompress.workerEventId()).startsWith("DecompressWorker3");
    assertThat(decompress.tokens()).isNull();
    fixture.accepted(new Command.Health("A"));
    assertThat(fixture.request(4, HealthWorkerMsg.class).workerEventId())
        .startsWith("HealthWorker3");
    fixture.accepted(new Command.Compress("A", "zstd", CPU, CommandFixture.KEYS));
    assertThat(fixture.request(5, CompressWorkerMsg.class).keys())
        .isEqualTo(CommandFixture.KEYS.keys());
  }

  @Test
  void move_pairsRanksInOrderAndNamesTheTargetsAddress() {
    fixture.agents("A", 0, 2);
    fixture.agents("B", 9, 1);

    Submission.Accepted command =
        fixture.accepted(
            new Command.Move("A", CPU, "B", "LocalDiskBackend", CommandFixture.KEYS, true));

    MoveWorkerMsg first = fixture.request(0, MoveWorkerMsg.class);
    assertThat(first.workerEventId()).startsWith("MoveWorker0");
    assertThat(first.oldPosition()).isEqualTo(CPU);
    assertThat(first.newPosition()).isEqualTo(new WorkerPosition("url-B1", "LocalDiskBackend"));
    assertThat(first.copy()).isTrue();
    assertThat(first.keys()).isEqualTo(CommandFixture.KEYS.keys());
    assertThat(fixture.request(1, MoveWorkerMsg.class).newPosition().peerInitUrl())
        .isEqualTo("url-B9");
    fixture.sent.get(0).reply(new MoveWorkerRetMsg(256));
    fixture
        .sent
        .get(1)
        .reply(
            new MoveWorkerRetMsg(
                128,
                1L,
                2L,
                Map.of(MoveOutcome.UNTRIED, 500),
                Collections.nCopies(500, "key"),
                Collections.nCopies(500, MoveOutcome.UNTRIED),
                "the target is away"));

    CommandView end = command.end().join();
    assertThat(end.targetInstanceId()).isEqualTo("B");
    assertThat(end.state()).isEqualTo(CommandView.State.PARTIAL);
    assertThat(end.tokens()).isEqualTo(384);
    WorkerOutcome.Stopped stopped =
        (WorkerOutcome.Stopped) Objects.requireNonNull(end.workers().get(1).outcome());
    assertThat(stopped.reason()).isEqualTo("the target is away");
    assertThat(((MoveWorkerRetMsg) stopped.reply()).left()).hasSize(100);
  }

  @Test
  void impossibleMoves_areToldApart() {
    fixture.agents("A", 0);
    fixture.agents("B", 0, 1);
    fixture.registry.put(live(new WorkerId("N", 0), 1, agent(null)));
    fixture.registry.put(live(new WorkerId("F", 0), 1, foreign("url-F")));

    assertThat(fixture.service.submit(CommandFixture.move("A", "nobody"), null))
        .isEqualTo(new Submission.UnknownInstance("nobody", true));
    assertThat(fixture.service.submit(CommandFixture.move("nobody", "A"), null))
        .isEqualTo(new Submission.UnknownInstance("nobody", false));
    assertThat(fixture.service.submit(CommandFixture.move("A", "A"), null))
        .isEqualTo(new Submission.Impossible("the target is the source itself, A"));
    assertThat(fixture.service.submit(CommandFixture.move("A", "B"), null))
        .isInstanceOfSatisfying(
            Submission.Impossible.class,
            one -> assertThat(one.reason()).contains("A has 1").contains("B has 2"));
    assertThat(CommandFixture.error(fixture.accepted(CommandFixture.move("A", "N"))))
        .contains("N/0 has no peer address");
    assertThat(CommandFixture.error(fixture.accepted(CommandFixture.move("A", "F"))))
        .contains("can't exchange chunks");
    assertThat(fixture.sent).isEmpty();
  }

  @Test
  void foreignWorker_getsOnlyWhatItUnderstands() {
    fixture.registry.put(live(new WorkerId("F", 0), 1, foreign("url")));
    fixture.registry.put(live(new WorkerId("G", 0), 1, foreign("url-G")));

    assertThat(
            CommandFixture.error(fixture.accepted(new Command.Pin("F", CPU, CommandFixture.KEYS))))
        .contains("by tokens");
    assertThat(
            CommandFixture.error(
                fixture.accepted(new Command.Move("F", CPU, "G", CPU, CommandFixture.KEYS, true))))
        .contains("by tokens");
    assertThat(
            CommandFixture.error(
                fixture.accepted(new Command.Unpin("F", CPU, Command.Chunks.ALL, "x"))))
        .contains("can't unpin");
    assertThat(fixture.sent).isEmpty();
    fixture.accepted(new Command.Move("F", CPU, "G", CPU, Command.Chunks.ALL, false));
    assertThat(fixture.request(0, MoveWorkerMsg.class).tokens()).isEmpty();
  }
}
