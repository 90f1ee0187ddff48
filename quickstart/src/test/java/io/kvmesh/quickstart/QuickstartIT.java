package io.kvmesh.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.quickstart.model.Counts;
import io.kvmesh.quickstart.model.ReplayModel;
import io.kvmesh.quickstart.options.Policy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The quickstart as a user runs it, with all its processes. */
@Order(3)
class QuickstartIT {

  private static final Duration RUN_TIMEOUT = Duration.ofMinutes(5);
  private static final Duration END_TIMEOUT = Duration.ofMinutes(1);

  @TempDir private Path folder;

  @Test
  void run_noOptions_replaysGeneratedConversationsExactly() throws Exception {
    JsonNode outcome = outcome("");

    assertCounts(outcome, ReplayModel.replay(Session.generated(null), 4, 1_000, Policy.LRU));
    assertThat(outcome.path("pull_millis").path("p99").asDouble()).isPositive();
  }

  @Test
  void stay_withKey_killedPrograms_areStartedAgainAndEndWithTheirLauncher() throws Exception {
    Path key = folder.resolve("fleet.key");
    Files.writeString(key, Base64.getEncoder().encodeToString(new SecureRandom().generateSeed(32)));
    Path trace =
        Files.writeString(
            folder.resolve("trace.jsonl"),
            """
            {"timestamp": 0, "input_length": 1500, "output_length": 9, "hash_ids": [0, 1, 2]}
            {"timestamp": 9, "input_length": 1100, "output_length": 9, "hash_ids": [0, 1, 3]}
            """);
    try (QuickstartProcess quickstart =
        start(
            "--stay",
            "--key-file",
            key.toString(),
            "--trace",
            trace.toString(),
            "--workers",
            "2",
            "--chunks",
            "3")) {
      awaitState(quickstart, "finished");
      JsonNode before = quickstart.outcome();
      assertCounts(before, new Counts(2, 0, 2, 4, 0, 0, 6));

      killAndAwaitAgain(quickstart, "agent-0", "controller");

      assertThat(quickstart.outcome().path("agents")).isEqualTo(before.path("agents"));
      assertThat(quickstart.outcome().path("rest")).isEqualTo(before.path("rest"));
      List<ProcessHandle> programs = quickstart.descendants();
      assertThat(programs).hasSizeGreaterThanOrEqualTo(4);
      quickstart.kill();
      await().atMost(END_TIMEOUT).until(() -> programs.stream().noneMatch(ProcessHandle::isAlive));
    }
  }

  private static void killAndAwaitAgain(QuickstartProcess quickstart, String... programs) {
    JsonNode before = quickstart.outcome().path("pids");
    for (String program : programs) {
      ProcessHandle.of(before.path(program).asLong()).orElseThrow().destroyForcibly();
    }
    for (String program : programs) {
      await()
          .atMost(RUN_TIMEOUT)
          .untilAsserted(
              () ->
                  assertThat(quickstart.standardOutput())
                      .contains(program + " has ended with status 137; starting it again")
                      .contains(program + " serves again"));
      await()
          .untilAsserted(
              () ->
                  assertThat(quickstart.outcome().path("pids").path(program).asLong())
                      .isNotEqualTo(before.path(program).asLong()));
    }
  }

  @Test
  void terminate_whileProgramsStart_leavesNoProcess() throws Exception {
    try (QuickstartProcess quickstart = start("--workers", "1")) {
      await().atMost(RUN_TIMEOUT).until(() -> quickstart.descendants().size() >= 2);
      List<ProcessHandle> programs = quickstart.descendants();

      quickstart.terminate();
      quickstart.awaitEnd(END_TIMEOUT);

      await().atMost(END_TIMEOUT).until(() -> programs.stream().noneMatch(ProcessHandle::isAlive));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--frobnicate | 2 | quickstart: unknown option '--frobnicate' (--help lists them)",
        "--trace nowhere.jsonl | 1 | quickstart: can't read the trace (--trace): no such file",
        "--json nowhere/x.json | 1 | quickstart: can't write nowhere/x.json (--json): no such file",
        "--work-dir /proc/x | 1 | quickstart: can't write to /proc/x: ",
      })
  void run_badOption_endsWithOneLine(String options, int status, String line) throws Exception {
    try (QuickstartProcess quickstart = QuickstartProcess.start(folder, options.split(" "))) {
      assertThat(quickstart.awaitEnd(END_TIMEOUT)).isEqualTo(status);
      assertThat(quickstart.standardError().lines()).singleElement().asString().startsWith(line);
      assertThat(quickstart.standardOutput()).isEmpty();
    }
  }

  @Test
  void run_busyPort_endsWithOneLine() throws Exception {
    try (ServerSocket busy = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"));
        QuickstartProcess quickstart = start("--rest-port", "" + busy.getLocalPort())) {
      assertThat(quickstart.awaitEnd(END_TIMEOUT)).isEqualTo(1);
      assertThat(quickstart.standardError())
          .isEqualTo("quickstart: port " + busy.getLocalPort() + " is in use (--rest-port)\n");
    }
  }

  private static void assertCounts(JsonNode outcome, Counts expected) {
    assertThat(
            new Counts(
                outcome.path("requests").asLong(),
                outcome.path("local_hits").asLong(),
                outcome.path("peer_hits").asLong(),
                outcome.path("misses").asLong(),
                outcome.path("not_stored").asLong(),
                outcome.path("evictions").asLong(),
                outcome.path("resident").asLong()))
        .isEqualTo(expected);
  }

  private JsonNode outcome(String options) throws Exception {
    try (QuickstartProcess quickstart =
        start(options.isEmpty() ? new String[0] : options.split(" "))) {
      assertThat(quickstart.awaitEnd(RUN_TIMEOUT)).as(quickstart.output()).isZero();
      assertThat(quickstart.descendants()).isEmpty();
      return quickstart.outcome();
    }
  }

  private QuickstartProcess start(String... options) throws Exception {
    List<String> all = new ArrayList<>(List.of(options));
    all.addAll(List.of("--json", QuickstartProcess.json(folder).toString()));
    all.addAll(List.of("--work-dir", folder.resolve("work").toString()));
    return QuickstartProcess.start(folder, all.toArray(String[]::new));
  }

  private static void awaitState(QuickstartProcess quickstart, String state) {
    await()
        .atMost(RUN_TIMEOUT)
        .until(
            () -> {
              assertThat(quickstart.isAlive()).as(quickstart.output()).isTrue();
              return quickstart.outcome().path("state").asString("").equals(state);
            });
  }
}
