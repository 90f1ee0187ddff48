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
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.directory.BatchedKVOperationMsg;
import io.kvmesh.common.wire.directory.HeartbeatMsg;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.SendOutcome;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import io.kvmesh.controller.fixture.FakeLog;
import io.kvmesh.controller.fixture.NaiveIndex;
import io.kvmesh.controller.lookup.DrainLookup;
import io.kvmesh.controller.lookup.PrefixLookup;
import io.kvmesh.controller.lookup.ReadyLookup;
import io.kvmesh.controller.registry.WorkerRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
  private static final SocketSettings FEW = SocketSettings.DEFAULT.withMessages(10, 64 << 10, 64);

  private final MessageCodec codec = new MessageCodec();
  private final FakeLog log = new FakeLog();
  private final WorkerRegistry registry = new WorkerRegistry();
  private final FakeView view = new FakeView();
  private final FrontCounts counts = new FrontCounts();
  private final ZmqSockets sockets = new ZmqSockets();
  private final NaiveIndex index = new NaiveIndex();
  private final DirectoryFront front =
      new DirectoryFront(
          new FrontSettings(
              "tcp://127.0.0.1:0",
              "tcp://127.0.0.1:0",
              "",
              "",
              FEW,
              Duration.ofSeconds(5),
              10,
              2,
              Duration.ofSeconds(5),
              3,
              Duration.ofSeconds(1)),
          sockets,
          new ReadyLookup(view::ready, new PrefixLookup(index, registry)),
          new DrainLookup(view::ready, index, registry),
          (worker, epoch, sequence, timeout) -> new CompletableFuture<>(),
          view,
          registry,
          (worker, announcement) -> CompletableFuture.completedFuture(false),
          log,
          counts);

  @BeforeEach
  void start() throws IOException {
    front.start();
    registry.put(live(WORKER, 1, foreign("url")));
  }

  @AfterEach
  void close() {
    front.close();
    assertThat(sockets.close(Duration.ofSeconds(20))).isTrue();
  }

  @Test
  void fullLog_pushesWaitForIt_inOrderAndWhole() throws Exception {
    log.full(true);
    try (ZmqSocket push = connect(SocketKind.PUSH, front.pullPort())) {
      await().atMost(WAIT).until(push::isConnected);
      assertThat(push.send(batch(0))).isEqualTo(SendOutcome.SENT);
      await().atMost(WAIT).until(() -> counts.pullPauses() == 1);
      int sent = 1;
      while (push.send(batch(sent)) == SendOutcome.SENT) {
        sent++;
      }
      assertRepliesGoOn();
      assertThat(log.events()).as("what came before the pause and the heartbeat").hasSize(2);

      log.full(false);

      int pushed = sent;
      await().atMost(WAIT).until(() -> log.events().size() == pushed + 1);
      assertThat(sequences()).containsExactlyElementsOf(expected(pushed));
    }
    for (FrontCounts.Loss loss : FrontCounts.Loss.values()) {
      assertThat(counts.losses(loss)).as("%s", loss).isZero();
    }
  }

  @Test
  void logThatIsFullAgain_pausesAgain() throws Exception {
    try (ZmqSocket push = connect(SocketKind.PUSH, front.pullPort())) {
      for (int i = 0; i < 3; i++) {
        log.full(true);
        push.send(batch(2 * i));
        int pauses = i + 1;
        await().atMost(WAIT).until(() -> counts.pullPauses() == pauses);
        push.send(batch(2 * i + 1));
        log.full(false);
        await().atMost(WAIT).until(() -> log.events().size() == 2 * pauses);
      }
    }
    assertThat(sequences()).containsExactlyElementsOf(expected(6));
  }

  private void assertRepliesGoOn() throws IOException {
    try (ZmqSocket dealer = connect(SocketKind.DEALER, front.replyPort())) {
      var heartbeat = new HeartbeatMsg("F", 0, "127.0.0.1", 1, "url");
      dealer.send(List.of(Frame.EMPTY, Frame.of(codec.encode(heartbeat))));
      assertThat(dealer.receive(WAIT)).isNotNull();
    }
  }

  private ZmqSocket connect(SocketKind kind, int port) throws IOException {
    return sockets.connect(kind, "tcp://127.0.0.1:" + port, FEW);
  }

  private byte[] batch(int number) {
    List<KVOpEvent> operations =
        IntStream.range(0, OPERATIONS)
            .mapToObj(
                i ->
                    new KVOpEvent(
                        OpType.ADMIT, ChunkHash.ofUnsigned(i), (long) number * OPERATIONS + i))
            .toList();
    return codec.encode(new BatchedKVOperationMsg("F", 0, CPU, operations));
  }

  /** The first number of each batch that the log has. */
  private List<Long> sequences() {
    return log.events().stream()
        .filter(BatchedKVOperation.class::isInstance)
        .map(event -> ((BatchedKVOperation) event).operations().sequence(0))
        .toList();
  }

  private static List<Long> expected(int batches) {
    return LongStream.range(0, batches).map(i -> i * OPERATIONS).boxed().toList();
  }
}
