package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.wire.event.DownReason;
import io.kvmesh.common.wire.event.EventTopic;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.controller.index.KeyTotals;
import io.kvmesh.controller.ingest.IngestStatus.Durable;
import io.kvmesh.controller.registry.WorkerState;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both views on a real Kafka and a real Redis. */
final class DurableIngestIT {

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
  void eventsReachTheDurableView_andItLetsGoOfWhoIsGone() throws Exception {
    try (TestController controller = fixture.controller("both")) {
      TestAgent agent = new TestAgent("a");
      controller.start(agent);
      controller.write(agent.admit(1, 2, 3), agent.evict(2), agent.heartbeat());

      fixture.awaitDurable(controller, agent);
      assertThat(controller.ingest.status().durable()).isEqualTo(Durable.UP);
      assertThat(controller.ingest.durableCounts().refused()).isZero();

      controller.write(agent.down(DownReason.DEREGISTERED));
      await()
          .atMost(DurableFixture.WAIT)
          .untilAsserted(
              () -> assertThat(controller.durable().listWorkers()).as("listed workers").isEmpty());
      assertThat(fixture.keysOf("both")).containsExactly("both:log");
    }
  }

  @Test
  void restart_goesOnFromWhatRedisHolds_withoutTheLog() throws Exception {
    TestAgent agent = new TestAgent("a");
    try (TestController first = fixture.controller("restart")) {
      first.start(agent);
      first.write(agent.admit(LongStream.range(0, 400).toArray()), agent.evict(5, 6));
      fixture.awaitDurable(first, agent);
    }
    fixture.truncate("restart");
    try (TestController second = fixture.controller("restart")) {
      second.awaitReady();
      assertThat(second.held(agent)).isEqualTo(agent.resident());
      assertThat(second.worker(agent).state()).isEqualTo(WorkerState.LIVE);

      second.write(agent.admit(5), agent.heartbeat());
      fixture.awaitBoth(second, agent);
      assertThat(second.ingest.counts().gaps()).isZero();
      assertThat(second.ingest.counts().truncated()).isZero();
    }
  }

  @Test
  void redisIsLoadedWhileItsWriterGoesOn_theLoadedViewEqualsOneFromTheLogAlone() throws Exception {
    TestAgent agent = new TestAgent("a");
    try (TestController writing = fixture.controller("load")) {
      writing.start(agent);
      writing.write(agent.admit(LongStream.range(0, 300).toArray()));
      fixture.awaitDurable(writing, agent);
      AtomicBoolean stop = new AtomicBoolean();
      AtomicReference<Throwable> failure = new AtomicReference<>();
      Thread churn = Thread.ofPlatform().start(() -> churn(writing, agent, stop, failure));

      try (TestController loaded = fixture.controller("load");
          TestController fromLog = TestController.start(fixture.kafka, "load")) {
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
        fixture.awaitDurable(writing, agent);
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
  void aRebalanceInTheMiddleOfASnapshot_nothingGoodIsDropped() throws Exception {
    TestAgent agent = new TestAgent("a");
    try (TestController first = fixture.controller("rebalance")) {
      first.start(agent);
      first.write(agent.admit(1, 2, 3, 4));
      fixture.awaitDurable(first, agent);
      agent.resident().remove(4L);
      TestAgent.Snapshot snapshot = agent.newSnapshot();
      first.write(snapshot.start(), snapshot.batch(1, 2));
      fixture.awaitOffset(first, agent);
      try (TestController second = fixture.controller("rebalance")) {
        second.awaitReady();
        await().atMost(DurableFixture.WAIT).until(() -> first.owned() < 8 && second.owned() > 0);
        second.write(agent.admit(5), snapshot.batch(3));
        fixture.awaitOffset(second, agent);
        first.ingest.close();
        await().atMost(DurableFixture.WAIT).until(() -> second.owned() == 8);
        second.write(snapshot.end());

        fixture.awaitDurable(second, agent);
        assertThat(second.ingest.durableCounts().gaps()).isZero();
        assertThat(fixture.stored(second, agent).snapshots()).isEqualTo(1);
        assertThat(fixture.stored(second, agent).suspect()).isFalse();
      }
    }
  }

  @Test
  void topicDeletedAndCreatedAgain_emptiesBothViews() throws Exception {
    TestAgent agent = new TestAgent("a");
    try (TestController controller = fixture.controller("another-topic")) {
      controller.start(agent);
      controller.write(agent.admit(1, 2));
      fixture.awaitDurable(controller, agent);
      try (Admin admin = Admin.create(TestController.properties(fixture.kafka))) {
        admin
            .deleteTopics(List.of(EventTopic.name("another-topic")))
            .all()
            .get(20, TimeUnit.SECONDS);
      }

      await()
          .atMost(DurableFixture.WAIT)
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
    fixture.redisCall(
        commands ->
            commands.hset(
                DurableFixture.bytes("later:log"),
                DurableFixture.bytes("format"),
                DurableFixture.bytes("2")));
    try (TestController controller = fixture.controller("later")) {
      controller.start(agent);
      controller.write(agent.admit(1, 2));
      controller.applied(agent);
      controller.awaitReady();

      await()
          .atMost(DurableFixture.WAIT)
          .until(() -> controller.ingest.status().durable() == Durable.UNSUPPORTED);
      assertThat(controller.held(agent)).isEqualTo(agent.resident());
      assertThat(fixture.keysOf("later")).containsExactly("later:log");
    }
  }
}
