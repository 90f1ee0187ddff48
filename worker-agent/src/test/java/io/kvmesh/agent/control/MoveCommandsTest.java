package io.kvmesh.agent.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.transfer.MoveCount;
import io.kvmesh.agent.transfer.RawClient;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.control.CheckFinishWorkerMsg;
import io.kvmesh.common.wire.control.CheckFinishWorkerRetMsg;
import io.kvmesh.common.wire.control.ErrorMsg;
import io.kvmesh.common.wire.control.HealthWorkerMsg;
import io.kvmesh.common.wire.control.HealthWorkerRetMsg;
import io.kvmesh.common.wire.control.MoveOutcome;
import io.kvmesh.common.wire.control.MoveWorkerMsg;
import io.kvmesh.common.wire.control.MoveWorkerRetMsg;
import io.kvmesh.common.wire.control.WorkerPosition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Chunks that are moved or copied on command. */
@Timeout(60)
class MoveCommandsTest extends ControlFixture {

  @Test
  void copy_ofTokens_takesTheirChunksAndNoOthers() throws Exception {
    List<ChunkKey> chunks = startHashing().of(PROMPT);
    try (TestAgent other = TestAgent.named("other").start()) {
      agent.store(chunks);
      agent.store(TestAgent.keys(1, 3));
      WorkerPosition there = new WorkerPosition(other.address(), LOCATION);

      MoveWorkerRetMsg reply =
          client.ask(
              MoveWorkerRetMsg.class, new MoveWorkerMsg("m", LOCATION, there, PROMPT, false));

      assertThat(reply.outcomes()).isEqualTo(Map.of(MoveOutcome.MOVED, 2));
      assertThat(other.resident(chunks)).isEqualTo(2);
      assertThat(agent.resident(TestAgent.keys(1, 3))).isEqualTo(3);
    }
  }

  private static MoveWorkerMsg move(String target, @Nullable List<String> keys, boolean copy) {
    return new MoveWorkerMsg("m", LOCATION, new WorkerPosition(target, LOCATION), null, copy, keys);
  }

  @Test
  void move_takesAllToTheOtherWorkerAndTellsSo() throws Exception {
    try (TestAgent other = TestAgent.named("other").start()) {
      agent.store(TestAgent.keys(1, 20));

      MoveWorkerRetMsg reply =
          client.ask(MoveWorkerRetMsg.class, move("tcp://" + other.address(), null, false));

      assertThat(reply.numTokens()).isEqualTo(20L * TestAgent.TOKENS);
      assertThat(reply.outcomes()).isEqualTo(Map.of(MoveOutcome.MOVED, 20));
      assertThat(reply.epoch()).isEqualTo(100);
      assertThat(reply.sequence()).as("20 admits, 20 evicts").isEqualTo(40);
      assertThat(reply.stopped()).isNull();
      assertThat(agent.cache.stats().residentChunks()).isZero();
      assertThat(other.resident(TestAgent.keys(1, 20))).isEqualTo(20);
      assertThat(client.ask(CheckFinishWorkerRetMsg.class, new CheckFinishWorkerMsg("m")).status())
          .isEqualTo("done");
    }
  }

  @Test
  void copy_ofSomeKeys_leavesThemHereAndNamesThoseThatAreNot() throws Exception {
    try (TestAgent other = TestAgent.named("other").start()) {
      agent.store(TestAgent.keys(1, 3));
      List<String> keys = texts(TestAgent.keys(2, 4));

      MoveWorkerRetMsg reply =
          client.ask(MoveWorkerRetMsg.class, move(other.address(), keys, true));

      assertThat(reply.outcomes()).isEqualTo(Map.of(MoveOutcome.COPIED, 2, MoveOutcome.GONE, 2));
      assertThat(reply.left()).isEqualTo(keys.subList(2, 4));
      assertThat(reply.leftWhy()).containsOnly(MoveOutcome.GONE);
      assertThat(agent.resident(TestAgent.keys(1, 3))).isEqualTo(3);
      assertThat(other.resident(TestAgent.keys(2, 2))).isEqualTo(2);
    }
  }

  @Test
  void move_thatCannotBe_isRefusedWithTheReason() {
    assertThat(client.ask(ErrorMsg.class, move(agent.address(), null, false)).error())
        .contains("itself");
    assertThat(client.ask(ErrorMsg.class, move("nowhere", null, false)).error())
        .contains("nowhere");
    WorkerPosition disk = new WorkerPosition("10.0.0.1:1", "LocalDiskBackend");
    assertThat(
            client.ask(ErrorMsg.class, new MoveWorkerMsg("m", LOCATION, disk, null, true)).error())
        .contains("LocalDiskBackend");
    WorkerPosition there = new WorkerPosition("10.0.0.1:1", LOCATION);
    assertThat(
            client
                .ask(ErrorMsg.class, new MoveWorkerMsg("m", LOCATION, there, List.of(1L), true))
                .code())
        .isEqualTo("unsupported");
    assertThat(client.ask(ErrorMsg.class, new CheckFinishWorkerMsg("unknown")).code())
        .isEqualTo("not_found");
  }

  @Test
  void move_toATargetThatNeverAnswers_letsTheDoorAnswerOthersAndEndsInTime() throws Exception {
    stop();
    start(TestAgent.named("me").connectTimeout(Duration.ofSeconds(8)));
    agent.store(TestAgent.keys(1, 3));
    try (RawClient silent = RawClient.silentServer()) {
      client.tell(move("127.0.0.1:" + silent.port(), null, false), List.of());
      requireOthersAreAnswered();
    }
    MoveWorkerRetMsg reply = client.answer(MoveWorkerRetMsg.class).message();
    assertThat(reply.stopped()).contains("can't be reached");
    assertThat(reply.outcomes()).isEqualTo(Map.of(MoveOutcome.UNCONFIRMED, 3));
    assertThat(agent.resident(TestAgent.keys(1, 3))).isEqualTo(3);
    assertThat(agent.moved.get(MoveCount.MOVE_REFUSED)).isEqualTo(1);
  }

  private void requireOthersAreAnswered() throws Exception {
    try (RawClient second = RawClient.req("127.0.0.1:" + server.port())) {
      await()
          .pollInSameThread()
          .untilAsserted(
              () ->
                  assertThat(
                          second
                              .ask(CheckFinishWorkerRetMsg.class, new CheckFinishWorkerMsg("m"))
                              .status())
                      .isEqualTo("in_progress"));
      assertThat(second.ask(ErrorMsg.class, move("10.0.0.1:1", null, false)).code())
          .isEqualTo("busy");
      assertThat(second.ask(HealthWorkerRetMsg.class, new HealthWorkerMsg("e")).errorCode())
          .isZero();
    }
  }
}
