package io.kvmesh.common.zmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Connections that are made and closed again leave nothing open. */
@Isolated("counts the open files of the whole JVM")
class FreshConnectionsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final SocketSettings SETTINGS = SocketSettings.DEFAULT;

  private final ZmqSockets sockets = new ZmqSockets();

  @AfterEach
  void allSocketsWereClosed() {
    assertThat(sockets.stats().ioFaults()).isZero();
    assertThat(sockets.close(PATIENCE)).isTrue();
  }

  @Test
  void connect_300FreshConnections_allAnswer() throws Exception {
    try (EchoServer server = new EchoServer(sockets, SETTINGS)) {
      long openBefore = openFiles();
      for (int i = 0; i < 300; i++) {
        SocketKind kind = i % 2 == 0 ? SocketKind.REQ : SocketKind.DEALER;
        try (ZmqSocket client = sockets.connect(kind, server.endpoint())) {
          byte[] payload = ("hello " + i).getBytes(UTF_8);
          client.send(payload);
          Multipart answer = client.receive(PATIENCE);
          assertThat(answer).as("connection %d", i).isNotNull();
          assertThat(answer.frames().getLast().toArray()).isEqualTo(payload);
        }
      }
      await().atMost(PATIENCE).until(() -> openFiles() < openBefore + 20);
    }
  }

  private static long openFiles() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? unix.getOpenFileDescriptorCount()
        : 0;
  }
}
