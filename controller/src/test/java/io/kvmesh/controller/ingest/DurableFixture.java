package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.wire.event.EventTopic;
import io.kvmesh.controller.index.KeyTotals;
import io.kvmesh.embedded.EmbeddedKafka;
import io.kvmesh.embedded.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;

/** A real Kafka and a real Redis, and what the durable view there says. */
final class DurableFixture implements AutoCloseable {

  static final Duration WAIT = Duration.ofSeconds(30);

  final EmbeddedKafka kafka;
  final EmbeddedRedis redis;

  DurableFixture(Path dir) throws IOException {
    kafka = EmbeddedKafka.start(dir.resolve("kafka"), 0);
    redis = EmbeddedRedis.start(dir.resolve("redis"), 0);
  }

  /** A controller of this cluster. */
  TestController controller(String cluster) throws Exception {
    return TestController.start(kafka, redis, cluster);
  }

  void awaitBoth(TestController controller, TestAgent agent) throws Exception {
    controller.applied(agent);
    assertThat(controller.held(agent)).isEqualTo(agent.resident());
    awaitDurable(controller, agent);
  }

  /** Waits until the durable view holds what the agent does, key by key and by digest. */
  void awaitDurable(TestController controller, TestAgent agent) {
    await()
        .atMost(WAIT)
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              assertThat(controller.durable().totals(agent.id()))
                  .isEqualTo(new KeyTotals(agent.resident().size(), agent.digest()));
              assertThat(stored(controller, agent).sequence()).isEqualTo(agent.sequence());
            });
    long[] all = agent.resident().stream().mapToLong(Long::longValue).toArray();
    assertThat(controller.durable().prefix(agent.id(), TestAgent.LOCATION, TestAgent.KEYSPACE, all))
        .isEqualTo(all.length);
  }

  void awaitOffset(TestController controller, TestAgent agent) throws Exception {
    assertThat(controller.ingest.awaitCaughtUp(WAIT).get(40, TimeUnit.SECONDS)).isTrue();
    await()
        .atMost(WAIT)
        .ignoreExceptions()
        .until(
            () ->
                controller.durable().readOffset(agent.id())
                    == controller.worker(agent).appliedOffset());
  }

  io.kvmesh.controller.index.LocationProgress stored(TestController controller, TestAgent agent) {
    var location =
        controller
            .durable()
            .readWorker(agent.id())
            .orElseThrow()
            .progress()
            .locations()
            .get(TestAgent.LOCATION);
    assertThat(location).isNotNull();
    return location;
  }

  /** The log no longer has any record that was written so far. */
  void truncate(String cluster) throws Exception {
    try (Admin admin = Admin.create(TestController.properties(kafka))) {
      Map<TopicPartition, RecordsToDelete> all = new HashMap<>();
      for (int partition = 0; partition < 8; partition++) {
        all.put(
            new TopicPartition(EventTopic.name(cluster), partition),
            RecordsToDelete.beforeOffset(-1));
      }
      admin.deleteRecords(all).all().get(20, TimeUnit.SECONDS);
    }
  }

  Map<String, byte[]> dump(String cluster) {
    Map<String, byte[]> values = new HashMap<>();
    for (String key : keysOf(cluster)) {
      values.put(key, redisCall(commands -> commands.dump(bytes(key))));
    }
    return values;
  }

  List<String> keysOf(String cluster) {
    List<byte[]> keys = redisCall(commands -> commands.keys(cluster + ":*"));
    return keys.stream().map(key -> new String(key, StandardCharsets.UTF_8)).toList();
  }

  <T> T redisCall(Function<RedisCommands<byte[], byte[]>, T> call) {
    RedisClient client = RedisClient.create(redis.uri());
    try (StatefulRedisConnection<byte[], byte[]> connection =
        client.connect(ByteArrayCodec.INSTANCE)) {
      return call.apply(connection.sync());
    } finally {
      client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    redis.close();
    kafka.close();
  }
}
