package io.kvmesh.controller.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.directory.BatchedP2PLookupMsg;
import io.kvmesh.common.wire.directory.ErrorMsg;
import io.kvmesh.embedded.EmbeddedKafka;
import io.kvmesh.embedded.EmbeddedRedis;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A controller whose lookups are answered by the durable view. */
@Timeout(300)
class ServeFromRedisIT {

  private static final String CLUSTER = "served";
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
  void lookups_areRedisAnswers_andErrorsWhileItIsAway() throws Exception {
    try (RunningController controller = controller();
        ScriptedAgent agent = new ScriptedAgent(kafka.bootstrapServers(), CLUSTER, AGENT, 1)) {
      await().atMost(RunningController.WAIT).until(controller::isReady);
      agent.up();
      agent.admit(1, 2, 3, 4);
      agent.evict(3);

      assertThat(controller.applied(AGENT, agent.epoch(), 5).at("/applied").asBoolean()).isTrue();
      assertThat(holds(controller, agent, 1, 2, 3, 4)).isEqualTo(2);
      assertThat(holds(controller, agent, 5)).isZero();
      assertThat(controller.get("/actuator/kvindex").at("/servedFrom").asString())
          .isEqualTo("redis");
      assertThat(
              controller
                  .post("/api/v1/holders", "{\"hashes\":[4]}")
                  .at("/chunks/0/holders/0/instanceId")
                  .asString())
          .isEqualTo("agent");

      redis.stop();
      var question = new BatchedP2PLookupMsg(List.of(ChunkHash.ofSigned(1)), "a", 0);
      assertThat(controller.ask(question))
          .isInstanceOfSatisfying(
              ErrorMsg.class, error -> assertThat(error.code()).isEqualTo(ErrorMsg.NOT_READY));
      assertThat(controller.post("/api/v1/lookup", "{\"hashes\":[1]}").at("/status").asInt())
          .isEqualTo(503);

      redis.restart();
      int status = 503;
      while (status == 503) {
        JsonNode answer = lookup(controller, agent, 1, 2, 3, 4);
        status = answer.at("/status").asInt(200);
        assertThat(status == 503 || answer.at("/best/chunks").asInt() == 2)
            .as("an error or the truth, never a miss: %s", answer)
            .isTrue();
      }
    }
  }

  private RunningController controller() {
    return RunningController.start(
        "--kvmesh.cluster=" + CLUSTER,
        "--kvmesh.kafka.bootstrap-servers=" + kafka.bootstrapServers(),
        "--kvmesh.kafka.partitions=2",
        "--kvmesh.index.serve-from=redis",
        "--kvmesh.redis.uri=" + redis.uri());
  }

  private static int holds(RunningController controller, ScriptedAgent agent, long... hashes)
      throws Exception {
    return lookup(controller, agent, hashes).at("/best/chunks").asInt();
  }

  private static JsonNode lookup(RunningController controller, ScriptedAgent agent, long... hashes)
      throws Exception {
    return controller.post(
        "/api/v1/lookup",
        "{\"hashes\":%s,\"keyspace\":\"%s\"}".formatted(Arrays.toString(hashes), agent.keyspace()));
  }
}
