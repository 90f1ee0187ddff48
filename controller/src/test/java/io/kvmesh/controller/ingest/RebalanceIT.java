package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.controller.index.KeyTotals;
import io.kvmesh.embedded.EmbeddedKafka;
import io.kvmesh.embedded.EmbeddedRedis;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One of two controllers is started and stopped again and again while agents write. */
final class RebalanceIT {

  private static final Duration WAIT = Duration.ofSeconds(60);
  private static final int RESTARTS = 4;
  private static final int SAMPLES = 200;

  private final List<TestAgent> agents =
      IntStream.range(0, 4).mapToObj(i -> new TestAgent("agent-" + i)).toList();
  private final AtomicBoolean stop = new AtomicBoolean();
  private final AtomicLong written = new AtomicLong();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  @Test
  void everyEventCountsOnce_andEvictsAreSeenSoonAfterARebalance(@TempDir Path dir)
      throws Exception {
    TestAgent watched = new TestAgent("watched");
    try (EmbeddedKafka kafka = EmbeddedKafka.start(dir.resolve("kafka"), 0);
        EmbeddedRedis redis = EmbeddedRedis.start(dir.resolve("redis"), 0);
        TestController stays = TestController.start(kafka, redis, "moving")) {
      stays.start(watched);
      for (TestAgent agent : agents) {
        stays.start(agent);
      }
      Thread churn = Thread.ofPlatform().start(() -> churn(stays));
      for (int restart = 0; restart < RESTARTS; restart++) {
        try (TestController comesAndGoes = TestController.start(kafka, redis, "moving")) {
          comesAndGoes.awaitReady();
          await().atMost(WAIT).until(() -> comesAndGoes.owned() > 0 && stays.owned() < 8);
        }
      }
      long[] tookNanos = seen(stays, watched);
      stop.set(true);
      churn.join();

      assertThat(failure).hasNullValue();
      System.out.printf(
          "Evict to lookup after rebalances: p99 %d us%n", tookNanos[SAMPLES * 99 / 100] / 1_000);
      assertThat(tookNanos[SAMPLES * 99 / 100])
          .as("99 of 100 evicts, in ns, with %d events written", written.get())
          .isLessThan(Duration.ofSeconds(10).toNanos());
      for (TestAgent agent : agents) {
        requireSame(stays, agent);
      }
      assertThat(stays.ingest.counts().gaps()).isZero();
      assertThat(stays.ingest.counts().duplicates()).isZero();
      try (TestController loaded = TestController.start(kafka, redis, "moving")) {
        loaded.awaitReady();
        for (TestAgent agent : agents) {
          assertThat(loaded.held(agent)).isEqualTo(agent.resident());
        }
      }
    }
  }

  @Test
  void slowRedis_lagFallsAndNobodyLosesAPartition(@TempDir Path dir) throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(dir.resolve("kafka"), 0);
        EmbeddedRedis redis = EmbeddedRedis.start(dir.resolve("redis"), 0);
        SlowDoor slow = SlowDoor.to(URI.create(redis.uri()).getPort(), Duration.ofMillis(50));
        TestController controller =
            TestController.start(kafka, "redis://127.0.0.1:" + slow.port(), "slow")) {
      for (TestAgent agent : agents) {
        controller.start(agent);
      }
      await().atMost(WAIT).until(() -> controller.ingest.durableCounts().reloads() == 8);
      for (int round = 0; round < 200; round++) {
        for (TestAgent agent : agents) {
          long first = round % 2 == 0 ? 0 : 100;
          var _ =
              controller.writer.append(agent.admit(LongStream.range(first, first + 100).toArray()));
          var _ =
              controller.writer.append(agent.evict(LongStream.range(first, first + 90).toArray()));
        }
      }

      assertThat(controller.ingest.awaitCaughtUp(WAIT).get(60, TimeUnit.SECONDS)).isTrue();
      AtomicLong before = new AtomicLong();
      await()
          .atMost(WAIT)
          .pollInterval(Duration.ofSeconds(2))
          .until(
              () -> {
                long now = position(controller);
                assertThat(now).isGreaterThanOrEqualTo(before.getAndSet(now));
                return lag(controller) == 0;
              });
      for (TestAgent agent : agents) {
        requireSame(controller, agent);
      }
      assertThat(controller.owned()).isEqualTo(8);
      assertThat(controller.ingest.durableCounts().reloads()).isEqualTo(8);
      assertThat(controller.ingest.durableCounts().refused()).isZero();
    }
  }

  private static long lag(TestController controller) {
    return controller.ingest.status().durableLags().stream().mapToLong(PartitionLag::records).sum();
  }

  /** How far it is. The log's end may become known late, so that the lag may rise meanwhile. */
  private static long position(TestController controller) {
    return controller.ingest.status().durableLags().stream()
        .mapToLong(PartitionLag::position)
        .sum();
  }

  private void churn(TestController controller) {
    Random random = new Random(17);
    try {
      while (!stop.get()) {
        for (TestAgent agent : agents) {
          long[] some = random.longs(50, 0, 900).distinct().toArray();
          controller.write(random.nextBoolean() ? agent.admit(some) : agent.evict(some));
          written.addAndGet(some.length);
        }
      }
    } catch (Throwable e) {
      failure.set(e);
    }
  }

  /** How long evicts took from the log's door until a lookup no longer named them; sorted. */
  private static long[] seen(TestController controller, TestAgent agent) throws Exception {
    long[] took = new long[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
      controller.write(agent.admit(i));
      long begun = System.nanoTime();
      controller.write(agent.evict(i));
      assertThat(controller.applied(agent).outcome()).isEqualTo(Applied.Outcome.APPLIED);
      took[i] = System.nanoTime() - begun;
      assertThat(
              controller.index.prefix(
                  agent.id(), TestAgent.LOCATION, TestAgent.KEYSPACE, new long[] {i}))
          .isZero();
    }
    Arrays.sort(took);
    return took;
  }

  /** Both views hold of the agent what it has. */
  static void requireSame(TestController controller, TestAgent agent) throws Exception {
    assertThat(controller.applied(agent).outcome()).isEqualTo(Applied.Outcome.APPLIED);
    assertThat(controller.held(agent)).isEqualTo(agent.resident());
    await()
        .atMost(WAIT)
        .ignoreExceptions()
        .untilAsserted(
            () ->
                assertThat(controller.durable().totals(agent.id()))
                    .isEqualTo(new KeyTotals(agent.resident().size(), agent.digest())));
  }
}
