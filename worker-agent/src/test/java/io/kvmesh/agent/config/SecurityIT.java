package io.kvmesh.agent.config;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.AgentApplication;
import io.kvmesh.agent.directory.FakeController;
import io.kvmesh.agent.ops.AgentEndpoint;
import io.kvmesh.agent.transfer.RawClient;
import io.kvmesh.common.wire.Message;
import io.kvmesh.common.wire.control.HealthWorkerMsg;
import io.kvmesh.common.wire.control.HealthWorkerRetMsg;
import io.kvmesh.common.wire.handshake.P2PInitSideMsg;
import io.kvmesh.common.wire.handshake.P2PInitSideRetMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetMsg;
import io.kvmesh.common.zmq.CurveKeys;
import io.kvmesh.common.zmq.SocketSettings;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

/** The whole program with a key: who hasn't it gets nothing at any door that others can reach. */
@Timeout(180)
class SecurityIT {

  private static final Duration SHORT = Duration.ofSeconds(1);

  @Test
  void agentWithAKey_answersOnlyWhoHasIt(@TempDir Path directory) throws Exception {
    byte[] secret = "a key of exactly thirty-two byte".getBytes(StandardCharsets.US_ASCII);
    Path file = directory.resolve("key");
    Files.writeString(file, Base64.getEncoder().encodeToString(secret));
    SocketSettings withKey = SocketSettings.DEFAULT.withKeys(Optional.of(CurveKeys.of(secret)));
    SocketSettings otherKey =
        SocketSettings.DEFAULT.withKeys(Optional.of(CurveKeys.of(new byte[32])));
    try (FakeController friend = new FakeController(withKey, asked -> null);
        FakeController open = new FakeController(asked -> null);
        FakeController stranger = new FakeController(otherKey, asked -> null);
        ConfigurableApplicationContext agent =
            AgentApplication.start(
                "--server.port=0",
                "--server.address=127.0.0.1",
                "--kvmesh.instance-id=secret",
                "--kvmesh.advertise-loopback=true",
                "--kvmesh.model.name=m",
                "--kvmesh.model.page-bytes=4096B",
                "--kvmesh.cache.capacity-bytes=1MB",
                "--kvmesh.kafka.bootstrap-servers=127.0.0.1:1",
                "--kvmesh.peer.init-bind=tcp://127.0.0.1:0",
                "--kvmesh.peer.lookup-bind=tcp://127.0.0.1:0",
                "--kvmesh.control.bind=tcp://127.0.0.1:0",
                "--kvmesh.engine.bind=tcp://127.0.0.1:0",
                "--kvmesh.liveness.heartbeat-interval=100ms",
                "--kvmesh.controllers="
                    + String.join(",", friend.address(), open.address(), stranger.address()),
                "--kvmesh.security.key-file=" + file)) {
      Map<String, String> doors = agent.getBean(AgentEndpoint.class).state().doors();
      for (SocketSettings without : List.of(SocketSettings.DEFAULT, otherKey)) {
        assertSilent(requireNonNull(doors.get("control")), without, new HealthWorkerMsg("h"));
        assertSilent(requireNonNull(doors.get("peer_init")), without, new P2PInitSideMsg());
        assertSilent(
            requireNonNull(doors.get("peer_lookup")),
            without,
            new BatchedLookupAndGetMsg("l", "me:1", List.of("m@1@0@1@bfloat16"), List.of()));
      }
      try (RawClient control = RawClient.dealer(requireNonNull(doors.get("control")), withKey);
          RawClient init = RawClient.dealer(requireNonNull(doors.get("peer_init")), withKey)) {
        assertThat(control.ask(HealthWorkerRetMsg.class, new HealthWorkerMsg("h")).errorCode())
            .isZero();
        assertThat(init.ask(P2PInitSideRetMsg.class, new P2PInitSideMsg()).peerLookupUrl())
            .isEqualTo(requireNonNull(doors.get("peer_lookup")));
      }
      await().untilAsserted(() -> assertThat(friend.asked).isNotEmpty());
      assertThat(open.asked).isEmpty();
      assertThat(stranger.asked).isEmpty();
    }
  }

  private static void assertSilent(String door, SocketSettings settings, Message message)
      throws Exception {
    try (RawClient client = RawClient.dealer(door, settings)) {
      client.tell(message, List.of());
      assertThat(client.receive(SHORT)).as(door).isNull();
    }
  }
}
