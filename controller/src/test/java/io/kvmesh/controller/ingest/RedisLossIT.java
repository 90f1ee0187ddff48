package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.controller.ingest.IngestStatus.Durable;
import io.kvmesh.controller.registry.WorkerState;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A Redis that is away, comes back empty or comes back with an earlier state. */
final class RedisLossIT {

  private static DurableFixture fixture;

  @BeforeAll
  static void start(@TempDir Path dir) throws Exception {
    fixture = new DurableFixture(dir);
  }

  @AfterAll
  static void stop() {
    fixture.close();
  }

  @Test
  void redisRestartsEmpty_isNoticedAndFilledFromTheLog_andARestartFindsItWhole() throws Exception {
    TestAgent agent = new TestAgent("a");
    TestAgent other = new TestAgent("b");
    try (TestController controller = fixture.controller("empty")) {
      controller.start(agent);
      controller.start(other);
      controller.write(agent.admit(1, 2, 3), other.admit(7, 8));
      fixture.awaitDurable(controller, agent);
      fixture.awaitDurable(controller, other);

      fixture.redis.restart();
      controller.write(agent.admit(4), agent.heartbeat(), other.heartbeat());

      fixture.awaitDurable(controller, agent);
      fixture.awaitDurable(controller, other);
      assertThat(controller.held(agent)).isEqualTo(agent.resident());
      assertThat(controller.ingest.snapshotWanted(agent.id())).isFalse();
    }
    fixture.truncate("empty");
    try (TestController again = fixture.controller("empty")) {
      again.awaitReady();
      assertThat(again.held(agent)).isEqualTo(agent.resident());
      assertThat(again.held(other)).isEqualTo(other.resident());
    }
  }

  @Test
  void redisRestartsEmptyAndTheLogIsCutOff_aSnapshotIsAskedForAndFillsIt() throws Exception {
    TestAgent agent = new TestAgent("a");
    try (TestController controller = fixture.controller("cut-off")) {
      controller.start(agent);
      controller.write(agent.admit(1, 2, 3));
      fixture.awaitBoth(controller, agent);
      fixture.truncate("cut-off");

      fixture.redis.restart();
      controller.write(agent.heartbeat());
      await().atMost(DurableFixture.WAIT).until(() -> controller.ingest.snapshotWanted(agent.id()));
      assertThat(controller.state(agent)).isEqualTo(WorkerState.LIVE);

      controller.write(agent.snapshot().toArray(LogEvent[]::new));
      fixture.awaitDurable(controller, agent);
      await()
          .atMost(DurableFixture.WAIT)
          .until(() -> !controller.ingest.snapshotWanted(agent.id()));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"state", "keys:", "workers", "log"})
  void keysThatSomebodyElseHasWritten_areWrittenAnew(String which) throws Exception {
    String cluster = "typed-" + which.replace(":", "");
    TestAgent agent = new TestAgent("a");
    TestAgent other = new TestAgent("b");
    try (TestController controller = fixture.controller(cluster)) {
      controller.start(agent);
      controller.start(other);
      controller.write(agent.admit(1, 2, 3), other.admit(7, 8));
      fixture.awaitDurable(controller, agent);
      fixture.awaitDurable(controller, other);

      for (String key : fixture.dump(cluster).keySet()) {
        if (key.contains(":" + which)) {
          fixture.redisCall(
              commands -> commands.set(DurableFixture.bytes(key), DurableFixture.bytes("x")));
        }
      }
      controller.write(agent.admit(4), other.evict(8));

      fixture.awaitDurable(controller, agent);
      fixture.awaitDurable(controller, other);
      assertThat(controller.held(agent)).containsExactlyInAnyOrder(1L, 2L, 3L, 4L);
      // What nothing is written to is noticed when it is looked at.
      await()
          .atMost(DurableFixture.WAIT)
          .until(() -> controller.ingest.durableCounts().failures() > 0);
      await()
          .atMost(DurableFixture.WAIT)
          .ignoreExceptions()
          .until(() -> controller.durable().listWorkers().size() == 2);
      fixture.awaitDurable(controller, agent);
      fixture.awaitDurable(controller, other);
    }
  }

  @Test
  void fieldsOfNonsense_areWrittenAnew() throws Exception {
    TestAgent agent = new TestAgent("a");
    try (TestController controller = fixture.controller("nonsense")) {
      controller.start(agent);
      controller.write(agent.admit(1, 2, 3));
      fixture.awaitDurable(controller, agent);
      for (String field : new String[] {"offset", "epoch", "format", "loc:" + TestAgent.LOCATION}) {
        for (String key : fixture.dump("nonsense").keySet()) {
          if (key.endsWith(":state")) {
            fixture.redisCall(
                commands ->
                    commands.hset(
                        DurableFixture.bytes(key),
                        DurableFixture.bytes(field),
                        DurableFixture.bytes("nonsense")));
          }
        }
        controller.write(agent.evict(1), agent.admit(1));

        fixture.awaitDurable(controller, agent);
      }
    }
  }

  @Test
  void redisFailsOverToAnEarlierState_isNoticedAndMadeUpFor() throws Exception {
    TestAgent agent = new TestAgent("a");
    try (TestController controller = fixture.controller("behind")) {
      controller.start(agent);
      controller.write(agent.admit(1, 2, 3));
      fixture.awaitDurable(controller, agent);
      Map<String, byte[]> earlier = fixture.dump("behind");
      controller.write(agent.evict(1), agent.admit(4));
      fixture.awaitDurable(controller, agent);

      fixture.redisCall(RedisCommands::flushall);
      earlier.forEach(
          (key, value) ->
              fixture.redisCall(commands -> commands.restore(DurableFixture.bytes(key), 0, value)));
      controller.write(agent.admit(5));

      fixture.awaitDurable(controller, agent);
      assertThat(controller.ingest.durableCounts().refused()).isPositive();
      assertThat(controller.ingest.durableCounts().gaps()).isZero();
    }
  }

  @Test
  void redisIsAway_theViewInMemoryGoesOn_andWhenItIsBackNothingIsMissing() throws Exception {
    TestAgent agent = new TestAgent("a");
    try (TestController controller = fixture.controller("away")) {
      controller.start(agent);
      controller.write(agent.admit(1));
      fixture.awaitDurable(controller, agent);

      fixture.redis.stop();
      controller.write(agent.admit(2), agent.heartbeat());
      controller.applied(agent);
      assertThat(controller.held(agent)).containsExactlyInAnyOrder(1L, 2L);
      await()
          .atMost(DurableFixture.WAIT)
          .until(() -> controller.ingest.status().durable() == Durable.AWAY);
      assertThat(controller.ingest.ready()).isTrue();

      fixture.redis.restart();
      fixture.awaitDurable(controller, agent);
      assertThat(controller.ingest.status().durable()).isEqualTo(Durable.UP);
    }
  }

  @Test
  void redisNotThereAtTheStart_theLogServesAfterAWhile() throws Exception {
    TestAgent agent = new TestAgent("a");
    fixture.redis.stop();
    try (TestController controller = fixture.controller("no-redis")) {
      controller.start(agent);
      controller.write(agent.admit(1));
      controller.awaitReady();
      assertThat(controller.held(agent)).containsExactly(1L);

      fixture.redis.restart();
      fixture.awaitDurable(controller, agent);
    } finally {
      fixture.redis.restart();
    }
  }
}
