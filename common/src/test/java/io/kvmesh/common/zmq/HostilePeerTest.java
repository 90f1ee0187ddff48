package io.kvmesh.common.zmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Peers that shake hands and then send what no ZeroMQ library would send. */
class HostilePeerTest {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final ZmqSockets sockets = new ZmqSockets();

  @AfterEach
  void allThreadsStillEnd() {
    assertThat(sockets.close(PATIENCE)).isTrue();
  }

  @TestFactory
  Stream<DynamicTest> frames_thatAreMalformed_serverLivesOn() {
    return Stream.of(
            "0400", // an empty command
            "040104",
            "0401ff",
            "04050450494e47", // PING without its fields
            "04060450494e4700",
            "0600000000000000050450494e47",
            "0503010203", // a command with more to follow
            "02ffffffffffffffff", // lengths
            "028000000000000005",
            "02000000007fffffff",
            "020000000080000000",
            "7f09") // flags that don't exist
        .map(hex -> DynamicTest.dynamicTest(hex, () -> attack(HexFormat.of().parseHex(hex))));
  }

  private void attack(byte[] bytes) throws IOException {
    try (EchoServer server = new EchoServer(sockets, SocketSettings.DEFAULT)) {
      try (Socket raw = shakeHands(server.port());
          OutputStream out = raw.getOutputStream()) {
        out.write(bytes);
        out.write(HexFormat.of().parseHex("00026869"));
        out.flush();
        assertAnswers(server);
      } catch (IOException closedByTheServer) {
        // As good as any answer.
      }
      assertAnswers(server);
    }
  }

  @Test
  void frames_greetingsOfEveryKind_serverLivesOn() throws Exception {
    try (EchoServer server = new EchoServer(sockets, SocketSettings.DEFAULT)) {
      for (String start :
          new String[] {"", "ff", "ff00000000000000017f", "0100", "05", "00", "7f"}) {
        try (Socket raw = new Socket(InetAddress.getLoopbackAddress(), server.port());
            OutputStream out = raw.getOutputStream()) {
          out.write(HexFormat.of().parseHex(start));
          out.write(new byte[300]);
        } catch (IOException closedByTheServer) {
          // As good as any answer.
        }
        assertAnswers(server);
      }
    }
  }

  private void assertAnswers(EchoServer server) throws IOException {
    try (ZmqSocket client = sockets.connect(SocketKind.DEALER, server.endpoint())) {
      client.send("alive".getBytes(UTF_8));
      assertThat(client.receive(PATIENCE)).isNotNull();
    }
  }

  private static Socket shakeHands(int port) throws IOException {
    Socket raw = new Socket(InetAddress.getLoopbackAddress(), port);
    RawPeer.shakeHands(raw, "DEALER");
    return raw;
  }
}
