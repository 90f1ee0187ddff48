package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvmesh.common.key.ChunkKey;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Peers that know nothing but libzmq's REQ and REP sockets: a Python program, both ways. */
@Timeout(120)
class PythonPeerIT {

  private static final String PYTHON = "/usr/bin/python3";
  private static final int PAGE = 4096;

  @TempDir private Path folder;
  private Path script;

  @BeforeEach
  void needsPython() throws Exception {
    assumeTrue(
        Files.isExecutable(Path.of(PYTHON))
            && new ProcessBuilder(PYTHON, "-c", "import zmq, msgpack").start().waitFor() == 0,
        "skipped, needs " + PYTHON + " with zmq and msgpack (python3-zmq, python3-msgpack)");
    script = folder.resolve("plain_peer.py");
    try (InputStream program = PythonPeerIT.class.getResourceAsStream("plain_peer.py")) {
      Files.copy(Objects.requireNonNull(program), script);
    }
  }

  private Process python(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(PYTHON, script.toString()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private static String text(List<ChunkKey> keys) {
    return keys.stream().map(ChunkKey::toString).collect(Collectors.joining(","));
  }

  private static BufferedReader output(Process process) {
    return process.inputReader(StandardCharsets.UTF_8);
  }

  @Test
  void plainReqClient_isServedWhateverItAsks() throws Exception {
    List<ChunkKey> held = TestAgent.keys(1, 4);
    List<ChunkKey> pushed = TestAgent.keys(50, 3);
    try (TestAgent owner = TestAgent.named("owner").start()) {
      owner.store(held);
      Process client =
          python(
              "ask",
              owner.address(),
              String.valueOf(PAGE),
              String.valueOf(TestAgent.TOKENS),
              text(held),
              text(pushed));
      Map<String, String> answers = new LinkedHashMap<>();
      output(client)
          .lines()
          .map(line -> line.split("=", 2))
          .forEach(parts -> answers.put(parts[0], parts[1]));
      assertThat(client.waitFor(10, TimeUnit.SECONDS)).isTrue();
      assertThat(answers)
          .containsEntry("get_without_handshake", "error 3")
          .containsEntry("put_without_handshake", "read 0 of 1 fields")
          .containsEntry("garbage", "error 2")
          .containsEntry("unknown_type", "error 2")
          .containsEntry("a_reply", "error 2")
          .containsEntry("no_indexes", "error 2")
          .containsEntry("foreign_handshake", "error 2")
          .containsEntry("wrong_page", "refused")
          .containsEntry("handshake", "zmq-copy")
          .containsEntry("bad_key", "error 2")
          .containsEntry("get_nothing", "hit 0 with 0 bodies")
          .containsEntry("get", "hit 4 with 4 bodies")
          .containsEntry("lengths", "True")
          .containsEntry("checksums", "True")
          .containsEntry("bodies", "True")
          .containsEntry("put", "read 3 of 1 fields")
          .containsEntry("put_again", "read 0 of 1 fields")
          .containsEntry("get_all", "hit 7 with 7 bodies");
      assertThat(client.exitValue()).isZero();
      assertThat(owner.resident(pushed)).isEqualTo(3);
      owner.requireSettled();
    }
  }

  @Test
  void plainRepServer_isPulledFromAndSurvivesManyRequestsAtOnce() throws Exception {
    List<ChunkKey> keys = TestAgent.keys(1, 40);
    Process server = python("serve", String.valueOf(PAGE), String.valueOf(TestAgent.TOKENS));
    try (TestAgent asker =
        TestAgent.named("asker").getBytes(3 * PAGE).connectTimeout(Duration.ofSeconds(2)).start()) {
      String address = Objects.requireNonNull(output(server).readLine());

      assertThat(asker.pull(address, keys, Duration.ofSeconds(20)))
          .isEqualTo(new PullOutcome.Hit(40));
      assertThat(asker.resident(keys)).isEqualTo(40);

      server.destroyForcibly().waitFor();
      assertThat(asker.pull(address, TestAgent.keys(100, 3), Duration.ofSeconds(5)))
          .isInstanceOf(PullOutcome.Unavailable.class);
      asker.requireSettled();
    } finally {
      server.destroyForcibly();
    }
  }
}
