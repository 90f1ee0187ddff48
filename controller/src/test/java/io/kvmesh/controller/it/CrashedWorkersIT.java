package io.kvmesh.controller.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.embedded.EmbeddedKafka;
import io.kvmesh.embedded.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A hundred workers, one after the other, each with a name of its own, hold some chunks and are
 * killed: none says goodbye, and in the end nothing is left of any. Takes a minute: runs with the
 * profile {@code replays} only.
 */
@Tag("replay")
@Timeout(300)
class CrashedWorkersIT {

  private static final Logger LOG = LoggerFactory.getLogger(CrashedWorkersIT.class);

  private static final int CYCLES = 100;
  private static final int ADMITS = 50;
  private static final int FIRST_PORT = 20_000;
  private static final String CLUSTER = "crashes";
  private static final Duration WORKER_TIMEOUT = Duration.ofSeconds(10);

  /** What probes and a busy machine may add. */
  private static final Duration SLACK = Duration.ofSeconds(20);

  @TempDir private Path dir;
  private EmbeddedKafka kafka;
  private EmbeddedRedis redis;
  private RedisClient client;
  private StatefulRedisConnection<String, String> connection;
  private RunningController controller;
  private LmcacheProgram python;

  /** What is killed. */
  private enum Kind {
    /** An LMCache worker whose heartbeats are on. */
    BEATING,
    /** An LMCache worker with the shipped defaults, which have no heartbeats. */
    MUTE,
    /** An agent. */
    AGENT
  }

  @BeforeEach
  void start() throws Exception {
    python = LmcacheProgram.requirePython(dir);
    kafka = EmbeddedKafka.start(dir.resolve("kafka"), 0);
    redis = EmbeddedRedis.start(dir.resolve("redis"), 0);
    client = RedisClient.create(redis.uri());
    connection = client.connect();
    controller =
        RunningController.start(
            "--kvmesh.cluster=" + CLUSTER,
            "--kvmesh.kafka.bootstrap-servers=" + kafka.bootstrapServers(),
            "--kvmesh.kafka.partitions=3",
            "--kvmesh.redis.uri=" + redis.uri(),
            "--kvmesh.liveness.heartbeat-interval=1s",
            "--kvmesh.liveness.silent-after=3s",
            "--kvmesh.liveness.expire-after=" + WORKER_TIMEOUT.toSeconds() + "s",
            "--kvmesh.command.timeout=2s");
    await().atMost(RunningController.WAIT).until(controller::isReady);
  }

  @AfterEach
  void stop() {
    controller.close();
    connection.close();
    client.shutdown();
    redis.close();
    kafka.close();
  }

  @Test
  void hundredCrashes_nothingIsLeftAfterOneWorkerTimeout() throws Exception {
    await().atMost(RunningController.WAIT).until(() -> size() > 0);
    long before = size();
    for (int cycle = 0; cycle < CYCLES; cycle++) {
      crash(cycle);
    }
    assertThat(placements()).isPositive();
    assertThat(size()).isGreaterThan(before);

    long begin = System.nanoTime();
    await()
        .atMost(WORKER_TIMEOUT.plus(SLACK))
        .untilAsserted(
            () -> {
              assertThat(workers()).isZero();
              assertThat(placements()).isZero();
              assertThat(size()).isEqualTo(before);
            });
    LOG.info(
        "Nothing is left {} ms after the last of {} crashes, with a worker timeout of {} ms",
        Duration.ofNanos(System.nanoTime() - begin).toMillis(),
        CYCLES,
        WORKER_TIMEOUT.toMillis());
  }

  private void crash(int cycle) throws Exception {
    String instance = "incarnation-" + cycle;
    long first = 1 + (long) cycle * ADMITS;
    switch (Kind.values()[cycle % Kind.values().length]) {
      case BEATING -> crashLmcache(instance, cycle, first, true);
      case MUTE -> crashLmcache(instance, cycle, first, false);
      case AGENT -> crashAgent(instance, first);
    }
  }

  private void crashLmcache(String instance, int cycle, long first, boolean beats)
      throws Exception {
    Process worker =
        python.start(
            "hold",
            controller.pullPort(),
            controller.replyPort(),
            instance,
            FIRST_PORT + cycle,
            first,
            ADMITS,
            beats);
    try {
      assertThat(LmcacheProgram.output(worker).readLine()).isEqualTo("held");
    } finally {
      worker.destroyForcibly().waitFor();
    }
  }

  /** An agent that is killed writes nothing more. */
  private void crashAgent(String instance, long first) throws Exception {
    WorkerId id = new WorkerId(instance, 0);
    try (ScriptedAgent agent = new ScriptedAgent(kafka.bootstrapServers(), CLUSTER, id, 1)) {
      agent.up();
      agent.admit(LongStream.range(first, first + ADMITS).toArray());
      assertThat(controller.applied(id, agent.epoch(), ADMITS).at("/applied").asBoolean()).isTrue();
    }
  }

  private long size() {
    return connection.sync().dbsize();
  }

  private int workers() throws Exception {
    return controller.get("/api/v1/workers").at("/workers").size();
  }

  private long placements() throws Exception {
    return controller.get("/api/v1/keys/stats").at("/placements").asLong();
  }
}
