package io.kvmesh.controller.lmcache;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.wire.directory.DirectoryReply;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSocket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
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
  private static final Duration WAIT = Duration.ofSeconds(30);
  private static final Map<String, String> REPLIES =
      Map.of(
          "RegisterMsg", "RegisterRetMsg",
          "HeartbeatMsg", "HeartbeatRetMsg",
          "BatchedP2PLookupMsg", "BatchedP2PLookupRetMsg",
          "FullSyncStartMsg", "FullSyncStartRetMsg",
          "FullSyncStatusMsg", "FullSyncStatusRetMsg");

  private RunningFront front;

  @BeforeEach
  void start() throws IOException {
    front = RunningFront.start(SocketSettings.DEFAULT.withMessages(1000, 64 << 10, 128), 1000, 100);
    front.view.neverBehind = true;
  }

  @AfterEach
  void close() {
    front.close();
    assertThat(front.counts.losses(FrontCounts.Loss.FAULT)).isZero();
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
    return front
        .codec
        .decode(DirectoryReply.class, answer.frames().getLast().toArray())
        .getClass()
        .getSimpleName();
  }

  @Test
  void replySocket_answersRequestsInKind_andAllElseWithAnError() throws Exception {
    try (ZmqSocket dealer = front.connectReply(SocketKind.DEALER)) {
      for (JsonNode vector : vectors("controller_messages.json", "vectors")) {
        assertThat(ask(dealer, bytes(vector)))
            .as(vector.path("name").asString())
            .isEqualTo(REPLIES.getOrDefault(vector.path("type").asString(), "ErrorMsg"));
      }
    }
  }

  @Test
  void heartbeatSocket_answersHeartbeatsInKind_andAllElseWithAnError() throws Exception {
    try (ZmqSocket dealer = front.connectHeartbeat()) {
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
    try (ZmqSocket dealer = front.connectReply(SocketKind.DEALER)) {
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
    try (ZmqSocket push = front.connectPull()) {
      push.send(frames);
      await()
          .atMost(WAIT)
          .until(
              () ->
                  front.counts.messages(FrontCounts.Door.PULL)
                          + front.counts.garbages(FrontCounts.Door.PULL)
                      == frames.size());
    }
  }
}
