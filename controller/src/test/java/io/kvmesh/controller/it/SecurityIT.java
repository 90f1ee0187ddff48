package io.kvmesh.controller.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.directory.BatchedP2PLookupMsg;
import io.kvmesh.common.wire.directory.DirectoryReply;
import io.kvmesh.common.zmq.CurveKeys;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import io.kvmesh.controller.ControllerApplication;
import io.kvmesh.controller.lmcache.DirectoryFront;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

/** A controller with a key: who hasn't it is not heard at the sockets for workers. */
@Timeout(120)
class SecurityIT {

  private static final Duration SHORT = Duration.ofSeconds(1);
  private static final Duration LONG = Duration.ofSeconds(20);

  private final MessageCodec codec = new MessageCodec();

  @Test
  void controllerWithAKey_hearsOnlyWhoHasIt(@TempDir Path directory) throws Exception {
    byte[] secret = "a key of exactly thirty-two byte".getBytes(StandardCharsets.US_ASCII);
    Path file = directory.resolve("key");
    Files.writeString(file, Base64.getEncoder().encodeToString(secret));
    SocketSettings withKey = SocketSettings.DEFAULT.withKeys(Optional.of(CurveKeys.of(secret)));
    SocketSettings otherKey =
        SocketSettings.DEFAULT.withKeys(Optional.of(CurveKeys.of(new byte[32])));
    try (ConfigurableApplicationContext controller =
            ControllerApplication.start(
                "--server.port=0",
                "--kvmesh.kafka.bootstrap-servers=127.0.0.1:1",
                "--kvmesh.zmq.pull-bind=tcp://127.0.0.1:0",
                "--kvmesh.zmq.reply-bind=tcp://127.0.0.1:0",
                "--kvmesh.zmq.heartbeat-bind=tcp://127.0.0.1:0",
                "--kvmesh.security.key-file=" + file);
        ZmqSockets sockets = new ZmqSockets()) {
      DirectoryFront front = controller.getBean(DirectoryFront.class);
      MeterRegistry meters = controller.getBean(MeterRegistry.class);
      for (SocketSettings without : List.of(SocketSettings.DEFAULT, otherKey)) {
        assertThat(ask(sockets, front.replyPort(), without, SHORT)).isNull();
        assertThat(ask(sockets, front.heartbeatPort(), without, SHORT)).isNull();
        try (ZmqSocket push =
            sockets.connect(SocketKind.PUSH, "tcp://127.0.0.1:" + front.pullPort(), without)) {
          push.send(new byte[] {(byte) 0xc1});
          assertThat(ask(sockets, front.replyPort(), withKey, LONG)).isNotNull();
        }
      }
      assertThat(ask(sockets, front.heartbeatPort(), withKey, LONG)).isNotNull();
      assertThat(garbage(meters)).as("frames at the pull port").isZero();
      try (ZmqSocket push =
          sockets.connect(SocketKind.PUSH, "tcp://127.0.0.1:" + front.pullPort(), withKey)) {
        push.send(new byte[] {(byte) 0xc1});
        await().untilAsserted(() -> assertThat(garbage(meters)).isEqualTo(1));
      }
    }
  }

  private static double garbage(MeterRegistry meters) {
    return meters.get("kvmesh.controller.garbage").tag("socket", "pull").functionCounter().count();
  }

  private @Nullable DirectoryReply ask(
      ZmqSockets sockets, int port, SocketSettings settings, Duration atMost) throws Exception {
    // One frame: what refuses the connection may do so between two.
    try (ZmqSocket client =
        sockets.connect(SocketKind.DEALER, "tcp://127.0.0.1:" + port, settings)) {
      client.send(codec.encode(new BatchedP2PLookupMsg(List.of(ChunkHash.ofUnsigned(1)), "i", 0)));
      Multipart answer = client.receive(atMost);
      return answer == null
          ? null
          : codec.decode(DirectoryReply.class, answer.frames().getLast().toArray());
    }
  }
}
