package io.kvmesh.agent.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.AgentApplication;
import io.kvmesh.common.process.LoopbackPorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * ZMQ-4, ZMQ-6: an agent that is told to end while it is under load, and all that it speaks to is
 * silent, ends soon and quietly. The property {@code kvmesh.test.terminations} says how often.
 */
@Timeout(value = 1, unit = TimeUnit.HOURS)
class TerminationIT {

  private static final int TIMES = Integer.getInteger("kvmesh.test.terminations", 1);
  private static final Duration START = Duration.ofSeconds(90);
  private static final int BY_SIGTERM = 143;
  private static final long GRACE_SECONDS = 10;
  private static final int CLIENTS = 4;

  @TempDir private Path folder;

  private final List<Socket> clients = new ArrayList<>();

  @Test
  void toldToEnd_underLoad_andNobodyAnswers_endsSoonAndQuietly() throws Exception {
    for (int i = 0; i < TIMES; i++) {
      try (ServerSocket silent = new ServerSocket(0, 100, InetAddress.getLoopbackAddress())) {
        terminate(silent.getLocalPort(), LoopbackPorts.free(), LoopbackPorts.free());
      }
    }
  }

  private void terminate(int silent, int resp, int rest) throws Exception {
    Path output = folder.resolve("output");
    Process agent =
        new ProcessBuilder(command(silent, resp, rest))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      for (int door : new int[] {resp, rest}) {
        await()
            .atMost(START)
            .ignoreExceptionsInstanceOf(IOException.class)
            .until(() -> connect(door).isConnected());
      }
      for (int i = 0; i < CLIENTS; i++) {
        Socket client = connect(resp);
        Thread.startVirtualThread(() -> storeAndAsk(client));
      }
      connect(resp)
          .getOutputStream()
          .write("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$4096\r\n".getBytes(UTF_8));
      connect(rest).getOutputStream().write("GET / HTTP/1.1\r\nHost".getBytes(UTF_8));
      await().atMost(START).until(() -> stored(resp) > 100);

      agent.destroy();

      assertThat(agent.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)).as("has ended").isTrue();
      String printed = Files.readString(output);
      assertThat(agent.exitValue()).as(printed).isEqualTo(BY_SIGTERM);
      assertThat(printed).doesNotContain("\tat ").doesNotContain(" ERROR ");
    } finally {
      agent.destroyForcibly().waitFor();
      for (Socket each : clients) {
        each.close();
      }
    }
  }

  private static List<String> command(int silent, int resp, int rest) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx256m",
        "-XX:TieredStopAtLevel=1",
        "--enable-native-access=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow",
        "-cp",
        System.getProperty("java.class.path"),
        AgentApplication.class.getName(),
        "--server.port=" + rest,
        "--server.address=127.0.0.1",
        "--kvmesh.instance-id=a",
        "--kvmesh.advertise-loopback=true",
        "--kvmesh.model.name=m",
        "--kvmesh.model.chunk-tokens=16",
        "--kvmesh.model.page-bytes=4096B",
        "--kvmesh.cache.capacity-bytes=1MB",
        "--kvmesh.kafka.bootstrap-servers=127.0.0.1:" + silent,
        "--kvmesh.controllers=127.0.0.1:1,127.0.0.1:" + silent,
        "--kvmesh.peer.init-bind=tcp://127.0.0.1:0",
        "--kvmesh.peer.lookup-bind=tcp://127.0.0.1:0",
        "--kvmesh.control.bind=tcp://127.0.0.1:0",
        "--kvmesh.engine.bind=tcp://127.0.0.1:0",
        "--kvmesh.resp.enabled=true",
        "--kvmesh.resp.bind=tcp://127.0.0.1:" + resp);
  }

  private Socket connect(int port) throws IOException {
    Socket client = new Socket(InetAddress.getLoopbackAddress(), port);
    clients.add(client);
    return client;
  }

  /** Until the connection ends. */
  private static void storeAndAsk(Socket client) {
    byte[] answers = new byte[8192];
    try {
      for (int i = 0; client.getInputStream().available() >= 0; i++) {
        String requests =
            "SET m@1@0@%x@half %s\r\nGET m@1@0@%x@half\r\n".formatted(i, "x".repeat(4096), -1 - i);
        client.getOutputStream().write(requests.getBytes(UTF_8));
        if (client.getInputStream().read(answers) < 0) {
          return;
        }
      }
    } catch (IOException ended) {
      assertThat(ended).hasMessageNotContaining("timed out");
    }
  }

  private static int stored(int port) throws IOException {
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
      client.getOutputStream().write("DBSIZE\r\n".getBytes(UTF_8));
      byte[] answer = new byte[20];
      int length = client.getInputStream().read(answer);
      return Integer.parseInt(new String(answer, 1, length - 1, UTF_8).trim());
    }
  }
}
