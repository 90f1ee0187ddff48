package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.controller.ingest.IngestStatus.Durable;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A Redis that answers and takes nothing, or takes things away. */
final class RedisRefusalIT {

  private static DurableFixture fixture;
  private static RedisClient client;
  private static StatefulRedisConnection<String, String> operator;

  @BeforeAll
  static void start(@TempDir Path dir) throws Exception {
    fixture = new DurableFixture(dir);
    client = RedisClient.create(fixture.redis.uri());
    operator = client.connect();
  }

  @AfterEach
  void putBack() {
    redis().replicaofNoOne();
    redis().configSet("maxmemory", "0");
    redis().configSet("maxmemory-policy", "noeviction");
    redis().configSet("requirepass", "");
  }

  @AfterAll
  static void stop() {
    operator.close();
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    fixture.close();
  }

  private static RedisCommands<String, String> redis() {
    return operator.sync();
  }

  /** A refused change is shown as long as it is refused, harms nothing else and is made up for. */
  private void refusedAndMadeUpFor(
      String word, String uri, Consumer<RedisCommands<String, String>> fault, Runnable mend)
      throws Exception {
    TestAgent agent = new TestAgent("a");
    String cluster = "refused-" + word.toLowerCase(Locale.ROOT);
    try (TestController controller = TestController.start(fixture.kafka, uri, cluster)) {
      controller.start(agent);
      controller.write(agent.admit(1, 2, 3));
      fixture.awaitDurable(controller, agent);
      long before = controller.ingest.durableCounts().failures();

      fault.accept(redis());
      controller.write(agent.admit(4), agent.evict(1), agent.heartbeat());

      controller.applied(agent);
      assertThat(controller.held(agent)).isEqualTo(agent.resident());
      await().atMost(DurableFixture.WAIT).until(() -> away(controller.ingest.status(), word));
      // A read that succeeds is no reason to say that all is well.
      await()
          .during(Duration.ofSeconds(3))
          .atMost(DurableFixture.WAIT)
          .until(() -> away(controller.ingest.status(), word));
      assertThat(controller.ingest.durableCounts().failures()).isGreaterThan(before);
      assertThat(controller.ingest.ready()).isTrue();

      mend.run();
      fixture.awaitDurable(controller, agent);
      await()
          .atMost(DurableFixture.WAIT)
          .until(() -> controller.ingest.status().durable() == Durable.UP);
      assertThat(controller.ingest.status().durableFailure()).isNull();
      assertThat(controller.ingest.durableCounts().gaps()).isZero();
    }
  }

  private static boolean away(IngestStatus status, String word) {
    return status.durable() == Durable.AWAY
        && String.valueOf(status.durableFailure()).startsWith("Redis answers " + word + ": ");
  }

  @Test
  void itBecomesAReplica() throws Exception {
    refusedAndMadeUpFor(
        "READONLY",
        fixture.redis.uri(),
        redis -> redis.replicaof("127.0.0.1", 1),
        () -> redis().replicaofNoOne());
  }

  @Test
  void itsMemoryIsFull() throws Exception {
    refusedAndMadeUpFor(
        "OOM",
        fixture.redis.uri(),
        redis -> redis.configSet("maxmemory", "1"),
        () -> redis().configSet("maxmemory", "0"));
  }

  @Test
  void itsPasswordIsAnother() throws Exception {
    redis().configSet("requirepass", "before");
    refusedAndMadeUpFor(
        "WRONGPASS",
        fixture.redis.uri().replace("redis://", "redis://:before@"),
        redis -> {
          redis.configSet("requirepass", "after");
          redis.clientKill(KillArgs.Builder.typeNormal().skipme());
        },
        () -> redis().configSet("requirepass", "before"));
  }

  @Test
  void itWantsAPasswordWhereItWantedNone() throws Exception {
    refusedAndMadeUpFor(
        "NOAUTH",
        fixture.redis.uri(),
        redis -> {
          redis.configSet("requirepass", "after");
          redis.clientKill(KillArgs.Builder.typeNormal().skipme());
        },
        () -> redis().configSet("requirepass", ""));
  }

  @Test
  void itIsFlushedUnderLoad_andNothingIsMissing() throws Exception {
    TestAgent agent = new TestAgent("a");
    TestAgent quiet = new TestAgent("b");
    try (TestController controller = fixture.controller("flushed")) {
      controller.start(agent);
      controller.start(quiet);
      controller.write(quiet.admit(1, 2, 3));
      for (long chunk = 0; chunk < 300; chunk++) {
        controller.write(agent.admit(chunk), agent.evict(chunk / 2));
        if (chunk % 100 == 50) {
          redis().flushall();
        }
      }

      fixture.awaitDurable(controller, agent);
      fixture.awaitDurable(controller, quiet);
      assertThat(controller.held(agent)).isEqualTo(agent.resident());
    }
  }

  @Test
  void keysOfAWorkerThatHaveGone_areNoticedAndWrittenAnew() throws Exception {
    TestAgent agent = new TestAgent("a");
    try (TestController controller = fixture.controller("evicted")) {
      controller.start(agent);
      controller.write(agent.admit(1, 2, 3));
      fixture.awaitDurable(controller, agent);

      fixture.keysOf("evicted").stream()
          .filter(key -> key.contains(":keys:"))
          .forEach(key -> redis().unlink(key));

      await()
          .atMost(DurableFixture.WAIT)
          .ignoreExceptions()
          .untilAsserted(() -> fixture.awaitDurable(controller, agent));
      assertThat(controller.ingest.durableCounts().failures()).isPositive();
    }
  }

  @Test
  void theListOfWorkersHasGone_isWrittenAnew_andARestartFindsAll() throws Exception {
    TestAgent agent = new TestAgent("a");
    try (TestController controller = fixture.controller("unlisted")) {
      controller.start(agent);
      controller.write(agent.admit(1, 2, 3));
      fixture.awaitDurable(controller, agent);

      redis().unlink("unlisted:workers");

      await()
          .atMost(DurableFixture.WAIT)
          .until(() -> controller.durable().listWorkers().containsKey(agent.id()));
    }
    fixture.truncate("unlisted");
    try (TestController again = fixture.controller("unlisted")) {
      again.awaitReady();
      assertThat(again.held(agent)).isEqualTo(agent.resident());
    }
  }

  @Test
  void keysThatHaveGoneWhileNobodyLooked_makeTheWorkerSuspectAtTheNextStart() throws Exception {
    TestAgent agent = new TestAgent("a");
    TestAgent whole = new TestAgent("b");
    try (TestController controller = fixture.controller("absent")) {
      controller.start(agent);
      controller.start(whole);
      controller.write(agent.admit(1, 2, 3), whole.admit(7));
      fixture.awaitDurable(controller, agent);
      fixture.awaitDurable(controller, whole);
    }
    fixture.truncate("absent");
    fixture.keysOf("absent").stream()
        .filter(key -> key.contains("{" + agent.id() + "}:keys:"))
        .forEach(key -> redis().unlink(key));
    try (TestController again = fixture.controller("absent")) {
      again.awaitReady();

      assertThat(again.worker(agent).suspect()).isTrue();
      assertThat(again.held(whole)).isEqualTo(whole.resident());
      assertThat(again.worker(whole).suspect()).isFalse();
    }
  }

  @Test
  void aPolicyThatDropsKeys_isShown() throws Exception {
    redis().configSet("maxmemory-policy", "allkeys-lru");
    try (TestController controller = fixture.controller("policy")) {
      await()
          .atMost(DurableFixture.WAIT)
          .until(() -> controller.ingest.status().evictionPolicy().equals("allkeys-lru"));
    }
  }
}
