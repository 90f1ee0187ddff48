package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.embedded.EmbeddedKafka;
import io.kvmesh.embedded.EmbeddedRedis;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The broker stops and starts again in the middle of admits, records come twice, and partitions
 * change hands meanwhile. The property {@code kvmesh.test.soak} says for how many seconds.
 */
@Timeout(1_200)
final class BrokerRestartIT {

  private static final Duration WAIT = Duration.ofSeconds(60);
  private static final long SOAK_NANOS =
      Duration.ofSeconds(Long.getLong("kvmesh.test.soak", 1)).toNanos();
  private static final String CLUSTER = "broker";
  private static final int PARTITIONS = 8;

  /** Between two restarts each agent writes so many records. */
  private static final int RECORDS_BETWEEN = 40;

  private final List<TestAgent> agents =
      IntStream.range(0, 4).mapToObj(i -> new TestAgent("agent-" + i)).toList();
  private final List<AtomicLong> written = agents.stream().map(unused -> new AtomicLong()).toList();
  private final AtomicLong twice = new AtomicLong();
  private volatile boolean stop;

  private EmbeddedKafka kafka;
  private EmbeddedRedis redis;

  @BeforeEach
  void start(@TempDir Path dir) throws Exception {
    kafka = EmbeddedKafka.start(dir.resolve("kafka"), 0);
    redis = EmbeddedRedis.start(dir.resolve("redis"), 0);
  }

  @AfterEach
  void end() {
    redis.close();
    kafka.close();
  }

  @Test
  void restartsUnderLoad_doubledRecordsAndRebalances_changeNothing() throws Exception {
    try (TestController one = TestController.start(kafka, redis, CLUSTER);
        TestController two = TestController.start(kafka, redis, CLUSTER)) {
      agents.forEach(one::start);
      await().atMost(WAIT).until(() -> one.owned() > 0 && two.owned() > 0);
      List<FutureTask<Void>> writing = startWriting(one);
      long end = System.nanoTime() + SOAK_NANOS;
      int restarts = 0;
      do {
        awaitMoreRecords();
        if (restarts % 2 == 0) {
          kafka.restart();
        } else {
          restartWhileOneComesAndGoes();
        }
        restarts++;
      } while (restarts < 2 || System.nanoTime() < end);
      awaitMoreRecords();
      stop = true;
      for (FutureTask<Void> each : writing) {
        each.get();
      }

      for (TestController controller : List.of(one, two)) {
        requireAllRight(controller);
      }
      assertThat(one.ingest.counts().duplicates()).as("operations that came twice").isPositive();
      System.out.printf(
          "%d broker restarts, %d records, %d of them twice: views equal the model%n",
          restarts, written.stream().mapToLong(AtomicLong::get).sum(), twice.get());
    }
    try (TestController loaded = TestController.start(kafka, redis, CLUSTER)) {
      loaded.awaitReady();
      requireAllRight(loaded);
    }
  }

  /** A third controller takes partitions over while the broker is away, and gives them back. */
  private void restartWhileOneComesAndGoes() throws Exception {
    try (TestController third = TestController.start(kafka, redis, CLUSTER)) {
      kafka.restart();
      third.awaitReady();
      await().atMost(WAIT).until(() -> third.owned() > 0);
    }
  }

  private void awaitMoreRecords() {
    List<Long> before = written.stream().map(AtomicLong::get).toList();
    await()
        .atMost(WAIT)
        .until(
            () ->
                IntStream.range(0, agents.size())
                    .allMatch(i -> written.get(i).get() >= before.get(i) + RECORDS_BETWEEN));
  }

  private List<FutureTask<Void>> startWriting(TestController through) {
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (int i = 0; i < agents.size(); i++) {
      int index = i;
      tasks.add(new FutureTask<>(() -> write(through, index), null));
      Thread.ofPlatform().daemon().name("agent-" + i).start(tasks.getLast());
    }
    return tasks;
  }

  /**
   * What the log may not have taken is written again, as it is: so some records are there twice.
   */
  private void write(TestController through, int index) {
    TestAgent agent = agents.get(index);
    Random random = new Random(index);
    while (!stop) {
      long[] some = random.longs(50, 0, 900).distinct().toArray();
      LogEvent event = random.nextInt(3) > 0 ? agent.admit(some) : agent.evict(some);
      through.writeUntilTaken(event);
      if (random.nextInt(10) == 0) {
        through.writeUntilTaken(event);
        twice.incrementAndGet();
      }
      written.get(index).incrementAndGet();
    }
    through.writeUntilTaken(agent.heartbeat());
  }

  private void requireAllRight(TestController controller) throws Exception {
    for (TestAgent agent : agents) {
      RebalanceIT.requireSame(controller, agent);
    }
    assertThat(controller.ingest.counts().gaps()).as("gaps").isZero();
    assertThat(controller.ingest.counts().mismatches()).as("mismatches").isZero();
    assertThat(controller.ingest.counts().truncated()).as("truncated").isZero();
    assertThat(controller.ingest.durableCounts().gaps()).as("durable gaps").isZero();
    assertThat(controller.ingest.status().lags()).hasSize(PARTITIONS);
  }
}
