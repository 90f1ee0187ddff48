package io.kvmesh.controller.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvmesh.embedded.EmbeddedKafka;
import io.kvmesh.embedded.EmbeddedRedis;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Engines that know nothing but libzmq and msgpack, as a router sees their memory. */
@Timeout(300)
class VllmEventsIT {

  private static final String KEYSPACE = "m@1@0@vllm@block%" + PythonEngine.BLOCK_TOKENS;

  @TempDir private static Path dir;
  private static EmbeddedKafka kafka;
  private static EmbeddedRedis redis;

  private final List<AutoCloseable> open = new ArrayList<>();

  @BeforeAll
  static void start() throws Exception {
    assumeTrue(
        PythonEngine.canRun(),
        "skipped, needs "
            + PythonEngine.PYTHON
            + " with zmq and msgpack (python3-zmq, python3-msgpack)");
    kafka = EmbeddedKafka.start(dir.resolve("kafka"), 0);
    redis = EmbeddedRedis.start(dir.resolve("redis"), 0);
  }

  @AfterAll
  static void stop() {
    if (kafka != null) {
      redis.close();
      kafka.close();
    }
  }

  private PythonEngine engine;

  @BeforeEach
  void startEngine() throws Exception {
    engine = PythonEngine.start(dir, 100);
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
    engine.close();
  }

  private RunningController controller(String cluster, PythonEngine... ranks) {
    List<String> settings = new ArrayList<>();
    settings.add("--kvmesh.cluster=" + cluster);
    settings.add("--kvmesh.kafka.bootstrap-servers=" + kafka.bootstrapServers());
    settings.add("--kvmesh.kafka.partitions=3");
    settings.add("--kvmesh.redis.uri=" + redis.uri());
    settings.add("--kvmesh.liveness.heartbeat-interval=500ms");
    settings.add("--kvmesh.liveness.silent-after=3s");
    for (int rank = 0; rank < ranks.length; rank++) {
      String at = "--kvmesh.vllm.engines[" + rank + "].";
      settings.add(at + "instance-id=vllm-0");
      settings.add(at + "rank=" + rank);
      settings.add(at + "model=m");
      settings.add(at + "block-size=" + PythonEngine.BLOCK_TOKENS);
      settings.add(at + "endpoint=" + ranks[rank].endpoint());
      settings.add(at + "replay-endpoint=" + ranks[rank].replayEndpoint());
    }
    RunningController controller = RunningController.start(settings.toArray(String[]::new));
    open.add(controller);
    await().atMost(RunningController.WAIT).until(controller::isReady);
    return controller;
  }

  private static String hashes(long... hashes) {
    return LongStream.of(hashes).mapToObj(Long::toString).collect(Collectors.joining(", "));
  }

  private static JsonNode ask(RunningController controller, String resource, long... hashes)
      throws Exception {
    return controller.post(
        "/api/v1/" + resource,
        "{\"keyspace\": \"%s\", \"hashes\": [%s]}".formatted(KEYSPACE, hashes(hashes)));
  }

  private static JsonNode scores(RunningController controller, long... hashes) throws Exception {
    return ask(controller, "scores", hashes).required("instances");
  }

  private static void awaitChunks(RunningController controller, int chunks, long... hashes) {
    await()
        .atMost(RunningController.WAIT)
        .until(() -> scores(controller, hashes).path(0).path("chunks").asInt(0) == chunks);
  }

  private static double metric(RunningController controller, String name) throws Exception {
    return controller
        .text("/actuator/prometheus")
        .lines()
        .filter(line -> line.startsWith("kvmesh_controller_vllm_" + name))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  @Test
  void whatAnEngineTells_isSeenByRouters_andByNoPeer() throws Exception {
    engine.orders("store array int 1 2", "store map bytes 3 -1");
    RunningController controller = controller("vllm", engine);
    awaitChunks(controller, 4, 1, 2, 3, -1);

    engine.orders("unknown map", "unknown array", "payload c1", "payload 93", "store old int 5");
    awaitChunks(controller, 5, 1, 2, 3, -1, 5);
    engine.orders("lose array int 6", "lose map bytes 7", "store map int 8");
    awaitChunks(controller, 8, 1, 2, 3, -1, 5, 6, 7, 8);
    engine.orders("remove map bytes 1", "remove old int 8");
    awaitChunks(controller, 6, 2, 3, -1, 5, 6, 7, 8);

    JsonNode score = scores(controller, 2, 3).path(0);
    assertThat(score.path("instanceId").asString()).isEqualTo("vllm-0");
    assertThat(score.path("score").asDouble()).isEqualTo(2.5);
    assertThat(score.path("ranks").path(0).path("locations").toString()).isEqualTo("{\"GPU\":2}");
    assertThat(ask(controller, "lookup", 2, 3).required("holders").toString()).isEqualTo("[]");
    assertThat(metric(controller, "ignored_total{reason=\"type\"")).isEqualTo(2);
    assertThat(metric(controller, "garbage_total")).isEqualTo(2);
    assertThat(metric(controller, "cleared_total")).isZero();
  }

  @Test
  void clearedAndRestartedEngines_haveWhatTheyToldSince() throws Exception {
    RunningController controller = controller("vllm-lives", engine);
    engine.orders("store map int 1", "store map int 2");
    awaitChunks(controller, 2, 1, 2);
    engine.orders("clear array", "store array int 2");
    awaitChunks(controller, 1, 2);
    assertThat(scores(controller, 1).size()).isZero();

    engine = engine.restart(100);
    engine.orders("store map int 1");
    awaitChunks(controller, 1, 1);
    assertThat(scores(controller, 2).size()).isZero();

    engine.close();
    await().atMost(RunningController.WAIT).until(() -> scores(controller, 1).isEmpty());
    engine = engine.restart(100);
    engine.orders("store map int 3");
    awaitChunks(controller, 1, 3);
  }

  @Test
  void gapThatTheEngineCantFill_leavesAHole_andTheRestStays() throws Exception {
    engine.close();
    engine = PythonEngine.start(dir, 3);
    RunningController controller = controller("vllm-hole", engine);
    engine.orders("store map int 1");
    awaitChunks(controller, 1, 1);
    engine.orders("lose map int 2", "lose map int 3", "lose map int 4", "lose map int 5");
    engine.orders("store map int 6");

    awaitChunks(controller, 4, 1, 4, 5, 6);
    assertThat(metric(controller, "losses_total")).isEqualTo(1);
    await()
        .atMost(RunningController.WAIT)
        .until(() -> scores(controller, 1).path(0).path("suspect").asBoolean());
  }

  @Test
  void ranksOfAnInstance_countApart_andAnotherControllerTakesOver() throws Exception {
    try (PythonEngine other = PythonEngine.start(dir, 100)) {
      RunningController first = controller("vllm-ranks", engine, other);
      other.orders("rank 1", "store map int 1 2 3");
      engine.orders("rank 0", "store map int 1");
      awaitChunks(first, 3, 1, 2, 3);
      await()
          .atMost(RunningController.WAIT)
          .until(() -> first.get("/api/v1/keys/stats").toString().contains("\"vllm-0\""));

      RunningController second = controller("vllm-ranks", engine, other);
      awaitChunks(second, 3, 1, 2, 3);
      first.close();
      engine.orders("store array int 2 3 4");
      other.orders("remove array int 1");
      awaitChunks(second, 4, 1, 2, 3, 4);
      assertThat(metric(second, "cleared_total")).isZero();
    }
  }
}
