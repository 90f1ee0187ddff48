package io.kvmesh.controller.lmcache;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.directory.DirectoryReply;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import io.kvmesh.controller.fixture.FakeLog;
import io.kvmesh.controller.index.MemoryIndex;
import io.kvmesh.controller.lookup.Barrier;
import io.kvmesh.controller.lookup.DrainLookup;
import io.kvmesh.controller.lookup.LookupAnswer;
import io.kvmesh.controller.registry.WorkerRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Whatever LMCache's encoder wrote, at every door: one reply of the right kind, and no fault. */
@Timeout(60)
class GoldenDoorsTest {

  private static final Path GOLDEN = Path.of("..", "common", "src", "test", "resources", "golden");
  private static final Duration WAIT = Duration.ofSeconds(10);
  private static final Map<String, String> REPLIES =
      Map.of(
          "RegisterMsg", "RegisterRetMsg",
          "HeartbeatMsg", "HeartbeatRetMsg",
          "BatchedP2PLookupMsg", "BatchedP2PLookupRetMsg",
          "FullSyncStartMsg", "FullSyncStartRetMsg",
          "FullSyncStatusMsg", "FullSyncStatusRetMsg");

  private final MessageCodec codec = new MessageCodec();
  private final FakeLog log = new FakeLog();
  private final FrontCounts counts = new FrontCounts();
  private final ZmqSockets sockets = new ZmqSockets();
  private final DirectoryFront front =
      new DirectoryFront(
          new FrontSettings(
              "tcp://127.0.0.1:0",
              "tcp://127.0.0.1:0",
              "tcp://127.0.0.1:0",
              "",
              SocketSettings.DEFAULT.withMessages(1000, 64 << 10, 128),
              Duration.ofSeconds(5),
              1000,
              100,
              Duration.ofSeconds(5),
              3,
              Duration.ofSeconds(1)),
          sockets,
          (requester, hashes) -> new LookupAnswer.Found(List.of(), 0, 0),
          new DrainLookup(() -> false, new MemoryIndex(), new WorkerRegistry()),
          (worker, epoch, sequence, timeout) ->
              CompletableFuture.completedFuture(
                  new Barrier.Answer(Barrier.Outcome.TIMED_OUT, -1, -1)),
          new CaughtUp(),
          new WorkerRegistry(),
          (worker, announcement) -> CompletableFuture.completedFuture(false),
          log,
          counts);

  /** A view that is never behind. */
  private static final class CaughtUp implements LogView {

    @Override
    public boolean ready() {
      return true;
    }

    @Override
    public CompletableFuture<Boolean> caughtUp(Duration timeout) {
      return CompletableFuture.completedFuture(true);
    }

    @Override
    public boolean snapshotWanted(WorkerId worker) {
      return false;
    }
  }

  @BeforeEach
  void start() throws IOException {
    front.start();
  }

  @AfterEach
  void close() {
    front.close();
    assertThat(sockets.close(WAIT)).isTrue();
    assertThat(counts.losses(FrontCounts.Loss.FAULT)).isZero();
  }

  private static List<JsonNode> vectors(String file, String list) throws IOException {
    List<JsonNode> vectors = new ArrayList<>();
    JsonMapper.shared()
        .readTree(Files.readAllBytes(GOLDEN.resolve(file)))
        .path(list)
        .forEach(vectors::add);
    assertThat(vectors).isNotEmpty();
    return vectors;
  }

  private static byte[] bytes(JsonNode vector) {
    return HexFormat.of().parseHex(vector.path("msgpack_hex").asString());
  }

  private String ask(ZmqSocket dealer, byte[] payload) throws Exception {
    dealer.send(List.of(Frame.EMPTY, Frame.of(payload)));
    Multipart answer = requireNonNull(dealer.receive(WAIT), "an answer");
    return codec
        .decode(DirectoryReply.class, answer.frames().getLast().toArray())
        .getClass()
        .getSimpleName();
  }

  @Test
  void replySocket_answersRequestsInKind_andAllElseWithAnError() throws Exception {
    try (ZmqSocket dealer =
        sockets.connect(SocketKind.DEALER, "tcp://127.0.0.1:" + front.replyPort())) {
      for (JsonNode vector : vectors("controller_messages.json", "vectors")) {
        assertThat(ask(dealer, bytes(vector)))
            .as(vector.path("name").asString())
            .isEqualTo(REPLIES.getOrDefault(vector.path("type").asString(), "ErrorMsg"));
      }
    }
  }

  @Test
  void heartbeatSocket_answersHeartbeatsInKind_andAllElseWithAnError() throws Exception {
    try (ZmqSocket dealer =
        sockets.connect(SocketKind.DEALER, "tcp://127.0.0.1:" + front.heartbeatPort())) {
      for (JsonNode vector : vectors("controller_messages.json", "vectors")) {
        boolean heartbeat = vector.path("type").asString().equals("HeartbeatMsg");
        assertThat(ask(dealer, bytes(vector)))
            .as(vector.path("name").asString())
            .isEqualTo(heartbeat ? "HeartbeatRetMsg" : "ErrorMsg");
      }
    }
  }

  @Test
  void whatTheRealDecoderRejects_isAnsweredWithAnError() throws Exception {
    try (ZmqSocket dealer =
        sockets.connect(SocketKind.DEALER, "tcp://127.0.0.1:" + front.replyPort())) {
      for (JsonNode vector : vectors("negative.json", "decode")) {
        if (bytes(vector).length == 0) {
          continue; // No payload, so no request: counted, and not answered.
        }
        String answer = ask(dealer, bytes(vector));
        if (vector.path("outcome").asString().equals("rejected")) {
          assertThat(answer).as(vector.path("name").asString()).isEqualTo("ErrorMsg");
        }
      }
    }
  }

  @Test
  void pullSocket_takesAllInOneMessage_andCountsEachFrame() throws Exception {
    List<Frame> frames = new ArrayList<>();
    for (JsonNode vector : vectors("controller_messages.json", "vectors")) {
      frames.add(Frame.of(bytes(vector)));
    }
    try (ZmqSocket push = sockets.connect(SocketKind.PUSH, "tcp://127.0.0.1:" + front.pullPort())) {
      push.send(frames);
      await()
          .atMost(WAIT)
          .until(
              () ->
                  counts.messages(FrontCounts.Door.PULL) + counts.garbages(FrontCounts.Door.PULL)
                      == frames.size());
    }
  }
}
