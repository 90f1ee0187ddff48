package io.kvmesh.controller.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.directory.BatchedP2PLookupMsg;
import io.kvmesh.common.wire.directory.BatchedP2PLookupRetMsg;
import io.kvmesh.common.wire.directory.ErrorMsg;
import io.kvmesh.embedded.EmbeddedKafka;
import io.kvmesh.embedded.EmbeddedRedis;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Kafka or Redis away, and a controller that starts again. */
@Timeout(300)
class ControllerOutageIT {

  private static final String CLUSTER = "outage";
  private static final WorkerId AGENT = new WorkerId("agent", 0);

  @TempDir private Path dir;
  private EmbeddedKafka kafka;
  private EmbeddedRedis redis;

  @BeforeEach
  void start() throws Exception {
    kafka = EmbeddedKafka.start(dir.resolve("kafka"), 0);
    redis = EmbeddedRedis.start(dir.resolve("redis"), 0);
  }

  @AfterEach
  void stop() {
    redis.close();
    kafka.close();
  }

  @Test
  void restart_readsTheKeptLog() throws Exception {
    try (ScriptedAgent agent = new ScriptedAgent(kafka.bootstrapServers(), CLUSTER, AGENT, 1)) {
      try (RunningController first = controller()) {
        await().atMost(RunningController.WAIT).until(first::isReady);
        agent.up();
        agent.admit(1, 2, 3);
        assertThat(first.applied(AGENT, agent.epoch(), 3).at("/applied").asBoolean()).isTrue();
      }
      agent.evict(3);
      try (RunningController again = controller()) {
        assertThat(again.applied(AGENT, agent.epoch(), 4).at("/applied").asBoolean()).isTrue();
        await().atMost(RunningController.WAIT).until(again::isReady);
        assertThat(holds(again, agent, 1, 2, 3)).isEqualTo(2);
      }
      redis.restart();
      try (RunningController empty = controller()) {
        await().atMost(RunningController.WAIT).until(empty::isReady);
        assertThat(holds(empty, agent, 1, 2, 3)).isEqualTo(2);
      }
    }
  }

  @Test
  void redisAway_killsNoProbeAndNoLookup() throws Exception {
    try (RunningController controller = controller();
        ScriptedAgent agent = new ScriptedAgent(kafka.bootstrapServers(), CLUSTER, AGENT, 1)) {
      await().atMost(RunningController.WAIT).until(controller::isReady);
      redis.stop();

      agent.up();
      agent.admit(1);

      assertThat(controller.applied(AGENT, agent.epoch(), 1).at("/applied").asBoolean()).isTrue();
      assertThat(holds(controller, agent, 1)).isEqualTo(1);
      await()
          .atMost(RunningController.WAIT)
          .until(() -> controller.status("/actuator/health") == 503);
      assertThat(controller.status("/actuator/health/liveness")).isEqualTo(200);
      assertThat(controller.isReady()).isTrue();
    }
  }

  @Test
  void kafkaAwayAtTheStart_isNotReadyAndNeverAMiss() throws Exception {
    kafka.stop();
    try (RunningController controller = controller()) {
      assertThat(controller.status("/actuator/health/liveness")).isEqualTo(200);
      assertThat(controller.isReady()).isFalse();
      var question = new BatchedP2PLookupMsg(List.of(ChunkHash.ofSigned(1)), "a", 0);
      assertThat(controller.ask(question))
          .isInstanceOfSatisfying(
              ErrorMsg.class, error -> assertThat(error.code()).isEqualTo(ErrorMsg.NOT_READY));
      assertThat(controller.post("/api/v1/lookup", "{\"hashes\":[1]}").at("/status").asInt())
          .isEqualTo(503);

      kafka.restart();

      await().atMost(RunningController.WAIT).until(controller::isReady);
      assertThat(controller.ask(question)).isInstanceOf(BatchedP2PLookupRetMsg.class);
    }
  }

  private RunningController controller() {
    return RunningController.start(
        "--kvmesh.cluster=" + CLUSTER,
        "--kvmesh.kafka.bootstrap-servers=" + kafka.bootstrapServers(),
        "--kvmesh.kafka.partitions=2",
        "--kvmesh.redis.uri=" + redis.uri());
  }

  private static int holds(RunningController controller, ScriptedAgent agent, long... hashes)
      throws Exception {
    return controller
        .post(
            "/api/v1/lookup",
            "{\"hashes\":%s,\"keyspace\":\"%s\"}"
                .formatted(java.util.Arrays.toString(hashes), agent.keyspace()))
        .at("/best/chunks")
        .asInt();
  }
}
