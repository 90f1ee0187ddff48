package io.kvmesh.controller.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.wire.directory.ErrorMsg;
import io.kvmesh.common.wire.directory.RegisterMsg;
import io.kvmesh.common.wire.directory.RegisterRetMsg;
import io.kvmesh.embedded.EmbeddedKafka;
import io.kvmesh.embedded.EmbeddedRedis;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Workers that know nothing but libzmq and msgpack: a Python program at a controller's sockets. */
@Timeout(300)
class LmCacheWorkerIT {

  private static final String MISS = "['', '', 0, '']";

  @TempDir private static Path dir;
  private static EmbeddedKafka kafka;
  private static EmbeddedRedis redis;

  private LmcacheProgram program;

  @BeforeAll
  static void start() throws Exception {
    kafka = EmbeddedKafka.start(dir.resolve("kafka"), 0);
    redis = EmbeddedRedis.start(dir.resolve("redis"), 0);
  }

  @AfterAll
  static void stop() {
    redis.close();
    kafka.close();
  }

  @BeforeEach
  void needsPython() throws Exception {
    program = LmcacheProgram.requirePython(dir);
  }

  private static RunningController controller(String cluster, String... settings) {
    List<String> all = new ArrayList<>(List.of(settings));
    all.add("--kvmesh.cluster=" + cluster);
    all.add("--kvmesh.kafka.bootstrap-servers=" + kafka.bootstrapServers());
    all.add("--kvmesh.kafka.partitions=3");
    all.add("--kvmesh.redis.uri=" + redis.uri());
    RunningController controller = RunningController.start(all.toArray(String[]::new));
    await().atMost(RunningController.WAIT).until(controller::isReady);
    return controller;
  }

  @Test
  void workers_areServedAsLmCacheServesThem() throws Exception {
    try (RunningController controller = controller("lmcache", "--kvmesh.front.claim-wait=1s")) {
      Process worker = program.start("tour", controller.pullPort(), controller.replyPort());
      Map<String, String> said = new LinkedHashMap<>();
      LmcacheProgram.output(worker)
          .lines()
          .map(line -> line.split("=", 2))
          .forEach(parts -> said.put(parts[0], parts[1]));
      assertThat(worker.waitFor(10, TimeUnit.SECONDS)).isTrue();

      assertThat(said).containsEntry("done", "True");
      assertRegistrationsAndLookups(said);
      assertHeartbeatsAndSync(said);
      assertFaults(said);
      assertThat(worker.exitValue()).isZero();
    }
  }

  private static void assertRegistrationsAndLookups(Map<String, String> said) {
    assertThat(said)
        .containsEntry("register_req", "RegisterRetMsg")
        .containsEntry("register_json", "RegisterRetMsg")
        .containsEntry("register_two_frames", "RegisterRetMsg")
        .containsEntry("register_nil_url", "RegisterRetMsg")
        .containsEntry("lookup", "['A', 'LocalCPUBackend', 50, 'A:1']")
        .containsEntry("lookup_part", "['A', 'LocalCPUBackend', 2, 'A:1']")
        .containsEntry("lookup_own", MISS)
        .containsEntry("lookup_rank", "['A', 'LocalCPUBackend', 3, 'A:2']")
        .containsEntry("lookup_other_rank", MISS)
        .containsEntry("lookup_nil_url", MISS)
        .containsEntry("lookup_empty", MISS)
        .containsEntry("lookup_stranger", "['A', 'LocalCPUBackend', 50, 'A:1']");
  }

  private static void assertHeartbeatsAndSync(Map<String, String> said) {
    assertThat(said)
        .containsEntry("heartbeat", "none")
        .containsEntry("heartbeat_json", "none")
        .containsEntry("heartbeat_on_reply", "none")
        .containsEntry("register_on_heartbeat", "Expected HeartbeatMsg, got RegisterMsg")
        .containsEntry("heartbeat_unknown", "full_sync worker_re_registered")
        .containsEntry("heartbeat_after_a_gap", "full_sync worker_suspect")
        .containsEntry("sync_start", "True")
        .containsEntry(
            "sync_other_id",
            "Failed to start sync: worker already syncing with different sync_id or worker not"
                + " found")
        .containsEntry("sync_missing", "[1]")
        .containsEntry("sync_incomplete", "False False")
        .containsEntry("sync_nothing_dropped", "['A', 'LocalCPUBackend', 2, 'A:1']")
        .containsEntry("sync_heartbeat", "none")
        .containsEntry("sync_complete", "True []")
        .containsEntry("sync_progress_is_float", "float")
        .containsEntry("sync_dropped", MISS)
        .containsEntry("sync_listed", "['A', 'LocalCPUBackend', 6, 'A:1']")
        .containsEntry("heartbeat_after_the_sync", "none")
        .containsEntry("sync_unknown_can_go_on", "True");
  }

  private static void assertFaults(Map<String, String> said) {
    assertThat(said)
        .containsEntry("garbage_reply", "ErrorMsg")
        .containsEntry("garbage_json", "ErrorMsg")
        .containsEntry("garbage_heartbeat", "ErrorMsg")
        .containsEntry("not_served", "Unknown message type: LookupMsg")
        .containsEntry("after_garbage", "['A', 'LocalCPUBackend', 1, 'A:1']")
        .containsEntry("clash_with_a_live_one", "worker A/0, which is alive")
        .containsEntry("clash_of_peer_address", "ErrorMsg")
        .containsEntry("back_under_another_name", "RegisterRetMsg")
        .containsEntry("before_the_move", "['B', 'LocalCPUBackend', 1, 'B:1']")
        .containsEntry("after_the_move", MISS)
        .containsEntry("at_the_new_address", "['B', 'LocalCPUBackend', 1, 'B:2']")
        .containsEntry("heartbeat_after_the_move", "full_sync worker_re_registered")
        .containsEntry("goodbye_of_another_process", "['A', 'LocalCPUBackend', 4, 'A:2']")
        .containsEntry("goodbye", MISS);
  }

  @Test
  void workerWithoutHeartbeats_isAskedAndStays_oneThatDoesNotAnswerGoes() throws Exception {
    Process worker = program.start("control");
    try (RunningController controller =
        controller(
            "probes",
            "--kvmesh.liveness.heartbeat-interval=100ms",
            "--kvmesh.liveness.silent-after=300ms",
            "--kvmesh.liveness.expire-after=1s",
            "--kvmesh.command.timeout=3s")) {
      BufferedReader said = LmcacheProgram.output(worker);
      int port = Integer.parseInt(Objects.requireNonNull(said.readLine()));
      assertThat(controller.ask(new RegisterMsg("idle", 0, "127.0.0.1", port, "idle:1")))
          .isInstanceOf(RegisterRetMsg.class);
      assertThat(controller.ask(new RegisterMsg("dead", 0, "127.0.0.1", 1, "dead:1")))
          .isInstanceOf(RegisterRetMsg.class);

      await()
          .atMost(RunningController.WAIT)
          .until(() -> controller.status("/api/v1/workers/dead/0") == 404);

      for (int i = 0; i < 4; i++) {
        assertThat(said.readLine()).isEqualTo("asked");
      }
      assertThat(controller.status("/api/v1/workers/idle/0")).isEqualTo(200);
      assertThat(controller.ask(new RegisterMsg("thief", 0, "127.0.0.1", port, "thief:1")))
          .isInstanceOfSatisfying(
              ErrorMsg.class,
              no -> assertThat(no.error()).endsWith("worker idle/0, which is alive"));
      assertThat(controller.ask(new RegisterMsg("idle", 0, "127.0.0.1", 1, "idle:1")))
          .isInstanceOfSatisfying(
              ErrorMsg.class,
              no ->
                  assertThat(no.error()).isEqualTo("worker idle/0 is alive at 127.0.0.1:" + port));
    } finally {
      worker.destroyForcibly();
    }
  }
}
