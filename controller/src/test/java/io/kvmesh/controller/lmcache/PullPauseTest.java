package io.kvmesh.controller.lmcache;

import static io.kvmesh.controller.fixture.Workers.CPU;
import static io.kvmesh.controller.fixture.Workers.foreign;
import static io.kvmesh.controller.fixture.Workers.live;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.OpType;
import io.kvmesh.common.wire.directory.BatchedKVOperationMsg;
import io.kvmesh.common.wire.directory.HeartbeatMsg;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.SendOutcome;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSocket;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A log that has no room for what is pushed: it waits, down to the worker, and none is lost. */
@Timeout(60)
class PullPauseTest {

  private static final WorkerId WORKER = new WorkerId("F", 0);
  private static final Duration WAIT = Duration.ofSeconds(20);
  private static final int OPERATIONS = 500;

  /** As many messages of an unknown worker may wait. */
  private static final int HELD = 10;

  private static final SocketSettings FEW = SocketSettings.DEFAULT.withMessages(10, 64 << 10, 64);

  private RunningFront front;

  @BeforeEach
  void start() throws IOException {
    front = RunningFront.start(FEW, HELD, 2);
    front.registry.put(live(WORKER, 1, foreign("url")));
  }

  @AfterEach
  void close() {
    front.close();
  }

  @Test
  void fullLog_pushesWaitForIt_inOrderAndWhole() throws Exception {
    front.log.full(true);
    try (ZmqSocket push = front.connectPull()) {
      await().atMost(WAIT).until(push::isConnected);
      assertThat(push.send(batch(0))).isEqualTo(SendOutcome.SENT);
      await().atMost(WAIT).until(() -> front.counts.pullPauses() == 1);
      int sent = 1;
      while (push.send(batch(sent)) == SendOutcome.SENT) {
        sent++;
      }
      assertRepliesGoOn();
      assertThat(front.log.events()).as("what came before the pause and the heartbeat").hasSize(2);

      front.log.full(false);

      int pushed = sent;
      await().atMost(WAIT).until(() -> front.log.events().size() == pushed + 1);
      assertThat(sequences()).containsExactlyElementsOf(expected(pushed));
    }
    assertNothingLost();
  }

  @Test
  void logThatIsFullAgain_pausesAgain() throws Exception {
    try (ZmqSocket push = front.connectPull()) {
      for (int i = 0; i < 3; i++) {
        front.log.full(true);
        push.send(batch(2 * i));
        int pauses = i + 1;
        await().atMost(WAIT).until(() -> front.counts.pullPauses() == pauses);
        push.send(batch(2 * i + 1));
        front.log.full(false);
        await().atMost(WAIT).until(() -> front.log.events().size() == 2 * pauses);
      }
    }
    assertThat(sequences()).containsExactlyElementsOf(expected(6));
  }

  @Test
  void whatWasHeldTakesAllRoom_pausesBeforeMoreIsRead() throws Exception {
    front.registry.remove(WORKER);
    try (ZmqSocket push = front.connectPull()) {
      for (int i = 0; i < HELD; i++) {
        push.send(batch(i));
      }
      await().atMost(WAIT).until(() -> front.counts.held() == HELD);
      front.log.roomFor(3);
      front.registry.put(live(WORKER, 1, foreign("url")));
      front.view.catchUp();
      await().atMost(WAIT).until(() -> front.counts.pullPauses() == 1);
      assertThat(front.log.events()).hasSize(3);
      assertThat(front.counts.held()).isEqualTo(HELD - 3);
      for (int i = HELD; i < 2 * HELD; i++) {
        push.send(batch(i));
      }

      front.log.full(false);

      await().atMost(WAIT).until(() -> front.log.events().size() == 2 * HELD);
    }
    assertThat(sequences()).containsExactlyElementsOf(expected(2 * HELD));
    assertNothingLost();
  }

  private void assertNothingLost() {
    for (FrontCounts.Loss loss : FrontCounts.Loss.values()) {
      assertThat(front.counts.losses(loss)).as("%s", loss).isZero();
    }
  }

  private void assertRepliesGoOn() throws IOException {
    try (ZmqSocket dealer = front.connectReply(SocketKind.DEALER)) {
      var heartbeat = new HeartbeatMsg("F", 0, "127.0.0.1", 1, "url");
      dealer.send(List.of(Frame.EMPTY, Frame.of(front.codec.encode(heartbeat))));
      assertThat(dealer.receive(WAIT)).isNotNull();
    }
  }

  private byte[] batch(int number) {
    List<KVOpEvent> operations =
        IntStream.range(0, OPERATIONS)
            .mapToObj(
                i ->
                    new KVOpEvent(
                        OpType.ADMIT, ChunkHash.ofUnsigned(i), (long) number * OPERATIONS + i))
            .toList();
    return front.codec.encode(new BatchedKVOperationMsg("F", 0, CPU, operations));
  }

  /** The first number of each batch that the log has. */
  private List<Long> sequences() {
    return front.log.events().stream()
        .filter(BatchedKVOperation.class::isInstance)
        .map(event -> ((BatchedKVOperation) event).operations().sequence(0))
        .toList();
  }

  private static List<Long> expected(int batches) {
    return LongStream.range(0, batches).map(i -> i * OPERATIONS).boxed().toList();
  }
}
