package io.kvmesh.controller.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.cli.Kvmesh;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.control.HealthWorkerRetMsg;
import io.kvmesh.common.wire.control.WorkerCertificate;
import io.kvmesh.common.wire.event.DrainState;
import io.kvmesh.embedded.EmbeddedKafka;
import io.kvmesh.embedded.EmbeddedRedis;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command line beside a real system, whole at first and then broken piece by piece. */
@Timeout(300)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class DoctorIT {

  private static final String CLUSTER = "doctor";
  private static final WorkerId GOOD = new WorkerId("good", 0);
  private static final WorkerId WRONG_PORT = new WorkerId("wrong", 1);

  @TempDir private static Path dir;
  private static EmbeddedKafka kafka;
  private static EmbeddedRedis redis;
  private static RunningController controller;
  private static ControlDoor door;
  private static volatile HealthWorkerRetMsg health = new HealthWorkerRetMsg(0);
  private static ScriptedAgent agent;

  @BeforeAll
  static void start() throws Exception {
    kafka = EmbeddedKafka.start(dir.resolve("kafka"), 0);
    redis = EmbeddedRedis.start(dir.resolve("redis"), 0);
    controller =
        RunningController.start(
            "--kvmesh.cluster=" + CLUSTER,
            "--kvmesh.kafka.bootstrap-servers=" + kafka.bootstrapServers(),
            "--kvmesh.kafka.partitions=1",
            "--kvmesh.command.timeout=3s",
            // Scripted agents give no heartbeats.
            "--kvmesh.liveness.silent-after=20m",
            "--kvmesh.liveness.expire-after=30m",
            "--kvmesh.redis.uri=" + redis.uri());
    door = new ControlDoor(request -> health);
    agent = new ScriptedAgent(kafka.bootstrapServers(), CLUSTER, GOOD, door.port());
    await().atMost(RunningController.WAIT).until(controller::isReady);
    agent.up();
    agent.admit(1, 2, 3);
    assertThat(controller.applied(GOOD, agent.epoch(), 3).at("/applied").asBoolean()).isTrue();
  }

  @AfterAll
  static void stop() {
    agent.close();
    door.close();
    controller.close();
    redis.close();
    kafka.close();
  }

  private record Said(int status, String text) {}

  private static Said kvmesh(String... words) {
    StringWriter out = new StringWriter();
    PrintWriter writer = new PrintWriter(out);
    String[] all = new String[words.length + 2];
    System.arraycopy(words, 0, all, 0, words.length);
    all[words.length] = "--url";
    all[words.length + 1] = controller.base();
    int status = Kvmesh.commandLine().setOut(writer).setErr(writer).execute(all);
    return new Said(status, out.toString());
  }

  private static String doctor() {
    return kvmesh("doctor", "--no-connect").text();
  }

  @Test
  @Order(1)
  void commands_workAgainstTheRealRest() {
    String keyspace = agent.keyspace().toString();

    assertThat(kvmesh("status").status()).isZero();
    assertThat(kvmesh("workers", "good").text()).containsPattern("good +0 +LIVE");
    assertThat(kvmesh("keys").text()).containsPattern("good +0 +3 ");
    assertThat(kvmesh("lookup", "--keyspace", keyspace, "--hashes", "1,0x2,9").text())
        .containsPattern("good +0 +LocalCPUBackend +2 ");
    assertThat(kvmesh("scores", "--keyspace", keyspace, "--hashes", "1,2").text())
        .contains("INSTANCE");
    assertThat(kvmesh("holders", "--hashes", "3").text()).containsPattern("3 +.*good +0");
    assertThat(kvmesh("health", "good"))
        .satisfies(it -> assertThat(it.status()).isZero())
        .satisfies(it -> assertThat(it.text()).contains("done"));
    assertThat(kvmesh("commands").text()).contains("health");
    assertThat(kvmesh("top", "--looks", "1").text()).contains("good");
    assertThat(kvmesh("events", "tail", "--worker", "good").text())
        .containsPattern("registered +good/0 epoch \\d+ agent at 127.0.0.1:" + door.port())
        .containsPattern("operations +good/0 epoch \\d+ sequence 3 LocalCPUBackend: \\+3 -0")
        .containsPattern("command +good health began: ")
        .containsPattern("command +good health is over: .*, DONE");
    assertThat(kvmesh("clear", "nobody"))
        .satisfies(it -> assertThat(it.status()).isEqualTo(2))
        .satisfies(it -> assertThat(it.text()).contains("nobody"));
  }

  @Test
  @Order(2)
  void whatWorkersAnnounceAndTheControllerHas_isCompared() {
    assertThat(doctor())
        .contains("has kvmesh.hash.algorithm=builtin, but kvmesh.model.hash-algorithm=sha256_cbor")
        .contains("set kvmesh.hash.algorithm=sha256_cbor")
        .doesNotContain("TROUBLE");
  }

  @Test
  @Order(3)
  void workerWithWrongPort_isFound() throws Exception {
    try (ScriptedAgent wrong =
        new ScriptedAgent(kafka.bootstrapServers(), CLUSTER, WRONG_PORT, 1)) {
      wrong.up();
      assertThat(controller.applied(WRONG_PORT, wrong.epoch(), 0).at("/applied").asBoolean())
          .isTrue();

      Said said = kvmesh("doctor");

      assertThat(said.status()).isEqualTo(1);
      assertThat(said.text())
          .contains(
              "wrong/1: " + controller.base() + " can't ask it at its control port 127.0.0.1:1")
          .contains("correct kvmesh.control.bind")
          .contains("wrong/1: nothing listens at its peer address " + wrong.peerInitUrl())
          .contains("kvmesh.peer.init-bind")
          .doesNotContain("good/0: " + controller.base());
    }
  }

  @Test
  @Order(4)
  void agentsVersionClockAndDrain_areTold() throws Exception {
    agent.heartbeat(System.currentTimeMillis() + 3_600_000, DrainState.DRAINED);
    await()
        .atMost(RunningController.WAIT)
        .untilAsserted(
            () ->
                assertThat(doctor())
                    .containsPattern("good/0 (3599|3600) s ahead")
                    .contains("have these nodes keep time by NTP")
                    .contains("good/0: was drained", "kvmesh undrain good"));
    assertThat(kvmesh("workers").text()).containsPattern("good +0 +LIVE drained ");
    assertThat(kvmesh("workers").text()).containsPattern(" 3(599|600) s +0\\.0\\.1 ");

    agent.heartbeat(System.currentTimeMillis(), null);

    await()
        .atMost(RunningController.WAIT)
        .untilAsserted(() -> assertThat(doctor()).doesNotContain("clocks differ", "was drained"));
  }

  @Test
  @Order(4)
  void agentsCertificateThatEnds_isFound() {
    long end = System.currentTimeMillis() + 3_600_000;
    health =
        new HealthWorkerRetMsg(
            0,
            List.of(new WorkerCertificate("http", WorkerCertificate.HTTP, false, "CN=good", end)));

    assertThat(doctor())
        .contains("TROUBLE  good/0: certificate CN=good of its SSL bundle http (its HTTP port)");
    assertThat(kvmesh("health", "good", "-o", "json").text()).contains("\"endMillis\"", "" + end);

    health = new HealthWorkerRetMsg(0);
    assertThat(doctor()).doesNotContain("CN=good");
  }

  @Test
  @Order(5)
  void poisonRecord_isFound() throws Exception {
    long offset = agent.writeRaw(new byte[] {1, 2, 3});

    await()
        .atMost(RunningController.WAIT)
        .untilAsserted(
            () ->
                assertThat(doctor())
                    .contains("passed over 1 records of the log", "partition 0 offset " + offset)
                    .contains("find who writes them to the topic"));
  }

  @Test
  @Order(6)
  void redisStopped_isFound() throws Exception {
    redis.stop();
    agent.admit(4);

    await()
        .atMost(RunningController.WAIT)
        .untilAsserted(
            () ->
                assertThat(doctor())
                    .contains(
                        "Redis does not answer: Unable to connect to 127.0.0.1", "start Redis")
                    .doesNotContain("Kafka doesn't answer it"));
  }

  @Test
  @Order(7)
  void kafkaStopped_isFound() {
    kafka.stop();

    await()
        .atMost(RunningController.WAIT)
        .untilAsserted(
            () -> assertThat(doctor()).contains("Kafka doesn't answer it", "start Kafka"));
    assertThat(kvmesh("status").status()).isEqualTo(1);
  }
}
