package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.wire.event.DownReason;
import io.kvmesh.common.wire.event.EventTopic;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.controller.index.KeyTotals;
import io.kvmesh.controller.ingest.IngestStatus.Durable;
import io.kvmesh.controller.registry.WorkerState;
import io.kvmesh.embedded.EmbeddedKafka;
import io.kvmesh.embedded.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both views on a real Kafka and a real Redis. */
final class DurableIngestIT {

  private static final Duration WAIT = Duration.ofSeconds(30);
  private static EmbeddedKafka kafka;
  private static EmbeddedRedis redis;

  @BeforeAll
  static void start(@TempDir Path dir) throws Exception {
    kafka = EmbeddedKafka.start(dir.resolve("kafka"), 0);
    redis = EmbeddedRedis.start(dir.resolve("redis"), 0);
  }

  @AfterAll
  static void stop() {
    redis.close();
    kafka.close();
  }

  @Test
  void eventsReachTheDurableView_andItLetsGoOfWhoIsGone() throws Exception {
    try (TestController controller = TestController.start(kafka, redis, "both")) {
      TestAgent agent = new TestAgent("a");
      controller.start(agent);
      controller.write(agent.admit(1, 2, 3), agent.evict(2), agent.heartbeat());

      awaitDurable(controller, agent);
      assertThat(controller.ingest.status().durable()).isEqualTo(Durable.UP);
      assertThat(controller.ingest.durableCounts().refused()).isZero();

      controller.write(agent.down(DownReason.DEREGISTERED));
      await()
          .atMost(WAIT)
          .untilAsserted(
              () -> assertThat(controller.durable().listWorkers()).as("listed workers").isEmpty());
      assertThat(keysOf("both")).containsExactly("both:log");
    }
  }

  @Test
  void restart_goesOnFromWhatRedisHolds_withoutTheLog() throws Exception {
    TestAgent agent = new TestAgent("a");
    try (TestController first = TestController.start(kafka, redis, "restart")) {
      first.start(agent);
      first.write(agent.admit(LongStream.range(0, 400).toArray()), agent.evict(5, 6));
      awaitDurable(first, agent);
    }
    truncate("restart");
    try (TestController second = TestController.start(kafka, redis, "restart")) {
      second.awaitReady();
      assertThat(second.held(agent)).isEqualTo(agent.resident());
      assertThat(second.worker(agent).state()).isEqualTo(WorkerState.LIVE);

      second.write(agent.admit(5), agent.heartbeat());
      awaitBoth(second, agent);
      assertThat(second.ingest.counts().gaps()).isZero();
      assertThat(second.ingest.counts().truncated()).isZero();
    }
  }

  @Test
  void redisIsLoadedWhileItsWriterGoesOn_theLoadedViewEqualsOneFromTheLogAlone() throws Exception {
    TestAgent agent = new TestAgent("a");
    try (TestController writing = TestController.start(kafka, redis, "load")) {
      writing.start(agent);
      writing.write(agent.admit(LongStream.range(0, 300).toArray()));
      awaitDurable(writing, agent);
      AtomicBoolean stop = new AtomicBoolean();
      AtomicReference<Throwable> failure = new AtomicReference<>();
      Thread churn = Thread.ofPlatform().start(() -> churn(writing, agent, stop, failure));

      try (TestController loaded = TestController.start(kafka, redis, "load");
          TestController fromLog = TestController.start(kafka, "load")) {
        loaded.awaitReady();
        fromLog.awaitReady();
        stop.set(true);
        churn.join();
        assertThat(failure).hasNullValue();

        loaded.applied(agent);
        fromLog.applied(agent);
        assertThat(loaded.held(agent)).isEqualTo(agent.resident());
        assertThat(fromLog.held(agent)).isEqualTo(agent.resident());
        assertThat(loaded.worker(agent).state()).isEqualTo(WorkerState.LIVE);
        awaitDurable(writing, agent);
      }
    }
  }

  private static void churn(
      TestController controller,
      TestAgent agent,
      AtomicBoolean stop,
      AtomicReference<Throwable> failure) {
    Random random = new Random(3);
    try {
      for (int round = 0; round < 20_000 && !stop.get(); round++) {
        long[] some = random.longs(30, 0, 900).distinct().toArray();
        controller.write(
            random.nextBoolean() ? agent.admit(some) : agent.evict(some), agent.heartbeat());
        if (round % 50 == 0) {
          controller.write(agent.snapshot().toArray(LogEvent[]::new));
        }
      }
    } catch (Throwable e) {
      failure.set(e);
    }
  }

  @Test
  void redisRestartsEmpty_isNoticedAndFilledFromTheLog_andARestartFindsItWhole() throws Exception {
    TestAgent agent = new TestAgent("a");
    TestAgent other = new TestAgent("b");
    try (TestController controller = TestController.start(kafka, redis, "empty")) {
      controller.start(agent);
      controller.start(other);
      controller.write(agent.admit(1, 2, 3), other.admit(7, 8));
      awaitDurable(controller, agent);
      awaitDurable(controller, other);

      redis.restart();
      controller.write(agent.admit(4), agent.heartbeat(), other.heartbeat());

      awaitDurable(controller, agent);
      awaitDurable(controller, other);
      assertThat(controller.held(agent)).isEqualTo(agent.resident());
      assertThat(controller.ingest.snapshotWanted(agent.id())).isFalse();
    }
    truncate("empty");
    try (TestController again = TestController.start(kafka, redis, "empty")) {
      again.awaitReady();
      assertThat(again.held(agent)).isEqualTo(agent.resident());
      assertThat(again.held(other)).isEqualTo(other.resident());
    }
  }

  @Test
  void redisRestartsEmptyAndTheLogIsCutOff_aSnapshotIsAskedForAndFillsIt() throws Exception {
    TestAgent agent = new TestAgent("a");
    try (TestController controller = TestController.start(kafka, redis, "cut-off")) {
      controller.start(agent);
      controller.write(agent.admit(1, 2, 3));
      awaitBoth(controller, agent);
      truncate("cut-off");

      redis.restart();
      controller.write(agent.heartbeat());
      await().atMost(WAIT).until(() -> controller.ingest.snapshotWanted(agent.id()));
      assertThat(controller.state(agent)).isEqualTo(WorkerState.LIVE);

      controller.write(agent.snapshot().toArray(LogEvent[]::new));
      awaitDurable(controller, agent);
      await().atMost(WAIT).until(() -> !controller.ingest.snapshotWanted(agent.id()));
    }
  }

  @Test
  void redisFailsOverToAnEarlierState_isNoticedAndMadeUpFor() throws Exception {
    TestAgent agent = new TestAgent("a");
    try (TestController controller = TestController.start(kafka, redis, "behind")) {
      controller.start(agent);
      controller.write(agent.admit(1, 2, 3));
      awaitDurable(controller, agent);
      Map<String, byte[]> earlier = dump("behind");
      controller.write(agent.evict(1), agent.admit(4));
      awaitDurable(controller, agent);

      redisCall(RedisCommands::flushall);
      earlier.forEach(
          (key, value) -> redisCall(commands -> commands.restore(bytes(key), 0, value)));
      controller.write(agent.admit(5));

      awaitDurable(controller, agent);
      assertThat(controller.ingest.durableCounts().refused()).isPositive();
      assertThat(controller.ingest.durableCounts().gaps()).isZero();
    }
  }

  @Test
  void redisIsAway_theViewInMemoryGoesOn_andWhenItIsBackNothingIsMissing() throws Exception {
    TestAgent agent = new TestAgent("a");
    try (TestController controller = TestController.start(kafka, redis, "away")) {
      controller.start(agent);
      controller.write(agent.admit(1));
      awaitDurable(controller, agent);

      redis.stop();
      controller.write(agent.admit(2), agent.heartbeat());
      controller.applied(agent);
      assertThat(controller.held(agent)).containsExactlyInAnyOrder(1L, 2L);
      await().atMost(WAIT).until(() -> controller.ingest.status().durable() == Durable.AWAY);
      assertThat(controller.ingest.ready()).isTrue();

      redis.restart();
      awaitDurable(controller, agent);
      assertThat(controller.ingest.status().durable()).isEqualTo(Durable.UP);
    }
  }

  @Test
  void aRebalanceInTheMiddleOfASnapshot_nothingGoodIsDropped() throws Exception {
    TestAgent agent = new TestAgent("a");
    try (TestController first = TestController.start(kafka, redis, "rebalance")) {
      first.start(agent);
      first.write(agent.admit(1, 2, 3, 4));
      awaitDurable(first, agent);
      agent.resident().remove(4L);
      TestAgent.Snapshot snapshot = agent.newSnapshot();
      first.write(snapshot.start(), snapshot.batch(1, 2));
      awaitOffset(first, agent);
      try (TestController second = TestController.start(kafka, redis, "rebalance")) {
        second.awaitReady();
        await().atMost(WAIT).until(() -> first.owned() < 8 && second.owned() > 0);
        second.write(agent.admit(5), snapshot.batch(3));
        awaitOffset(second, agent);
        first.ingest.close();
        await().atMost(WAIT).until(() -> second.owned() == 8);
        second.write(snapshot.end());

        awaitDurable(second, agent);
        assertThat(second.ingest.durableCounts().gaps()).isZero();
        assertThat(stored(second, agent).snapshots()).isEqualTo(1);
        assertThat(stored(second, agent).suspect()).isFalse();
      }
    }
  }

  @Test
  void topicDeletedAndCreatedAgain_emptiesBothViews() throws Exception {
    TestAgent agent = new TestAgent("a");
    try (TestController controller = TestController.start(kafka, redis, "another-topic")) {
      controller.start(agent);
      controller.write(agent.admit(1, 2));
      awaitDurable(controller, agent);
      try (Admin admin = Admin.create(TestController.properties(kafka))) {
        admin
            .deleteTopics(List.of(EventTopic.name("another-topic")))
            .all()
            .get(20, TimeUnit.SECONDS);
      }

      await()
          .atMost(WAIT)
          .untilAsserted(
              () -> {
                assertThat(controller.registry.workers()).isEmpty();
                assertThat(controller.durable().listWorkers()).isEmpty();
                assertThat(controller.durable().totals(agent.id())).isEqualTo(KeyTotals.NONE);
              });
    }
  }

  @Test
  void aLaterFormat_isLeftAlone_andTheLogServes() throws Exception {
    TestAgent agent = new TestAgent("a");
    redisCall(commands -> commands.hset(bytes("later:log"), bytes("format"), bytes("2")));
    try (TestController controller = TestController.start(kafka, redis, "later")) {
      controller.start(agent);
      controller.write(agent.admit(1, 2));
      controller.applied(agent);
      controller.awaitReady();

      await().atMost(WAIT).until(() -> controller.ingest.status().durable() == Durable.UNSUPPORTED);
      assertThat(controller.held(agent)).isEqualTo(agent.resident());
      assertThat(keysOf("later")).containsExactly("later:log");
    }
  }

  @Test
  void redisNotThereAtTheStart_theLogServesAfterAWhile() throws Exception {
    TestAgent agent = new TestAgent("a");
    redis.stop();
    try (TestController controller = TestController.start(kafka, redis, "no-redis")) {
      controller.start(agent);
      controller.write(agent.admit(1));
      controller.awaitReady();
      assertThat(controller.held(agent)).containsExactly(1L);

      redis.restart();
      awaitDurable(controller, agent);
    } finally {
      redis.restart();
    }
  }

  private static void awaitBoth(TestController controller, TestAgent agent) throws Exception {
    controller.applied(agent);
    assertThat(controller.held(agent)).isEqualTo(agent.resident());
    awaitDurable(controller, agent);
  }

  /** Waits until the durable view holds what the agent does, key by key and by digest. */
  private static void awaitDurable(TestController controller, TestAgent agent) {
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

  private static void awaitOffset(TestController controller, TestAgent agent) throws Exception {
    assertThat(controller.ingest.awaitCaughtUp(WAIT).get(40, TimeUnit.SECONDS)).isTrue();
    await()
        .atMost(WAIT)
        .ignoreExceptions()
        .until(
            () ->
                controller.durable().readOffset(agent.id())
                    == controller.worker(agent).appliedOffset());
  }

  private static io.kvmesh.controller.index.LocationProgress stored(
      TestController controller, TestAgent agent) {
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
  private static void truncate(String cluster) throws Exception {
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

  private static Map<String, byte[]> dump(String cluster) {
    Map<String, byte[]> values = new HashMap<>();
    for (String key : keysOf(cluster)) {
      values.put(key, redisCall(commands -> commands.dump(bytes(key))));
    }
    return values;
  }

  private static List<String> keysOf(String cluster) {
    List<byte[]> keys = redisCall(commands -> commands.keys(cluster + ":*"));
    return keys.stream().map(key -> new String(key, StandardCharsets.UTF_8)).toList();
  }

  private static <T> T redisCall(Function<RedisCommands<byte[], byte[]>, T> call) {
    RedisClient client = RedisClient.create(redis.uri());
    try (StatefulRedisConnection<byte[], byte[]> connection =
        client.connect(ByteArrayCodec.INSTANCE)) {
      return call.apply(connection.sync());
    } finally {
      client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
