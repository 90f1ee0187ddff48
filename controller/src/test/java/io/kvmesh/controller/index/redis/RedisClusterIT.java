package io.kvmesh.controller.index.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.index.ChangeOutcome;
import io.kvmesh.controller.index.ChangeStep;
import io.kvmesh.controller.index.ChunkIndex;
import io.kvmesh.controller.index.ChunkIndexContract;
import io.kvmesh.controller.index.IndexChanges;
import io.kvmesh.embedded.EmbeddedRedisCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** The durable view on a real cluster of three primaries and their replicas. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class RedisClusterIT extends ChunkIndexContract {

  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final int WORKERS = 30;
  private static EmbeddedRedisCluster redis;
  private static int clusters;

  @BeforeAll
  static void startRedis(@TempDir Path dir) throws Exception {
    redis = EmbeddedRedisCluster.start(dir, 3, 1);
  }

  @AfterAll
  static void stopRedis() {
    redis.close();
  }

  @Override
  protected ChunkIndex create() {
    return RedisIndex.of("contract-" + clusters++, RedisSettings.cluster(redis.uris(), TIMEOUT));
  }

  @AfterEach
  void closeIndex() {
    durable().close();
  }

  @Override
  protected int randomChanges() {
    return 300;
  }

  private RedisIndex durable() {
    return (RedisIndex) index();
  }

  @Test
  void workersOfAllSlots_areWrittenReadAndDropped() {
    Map<WorkerId, Long> offsets = admitEverywhere(new HashMap<>(), 1);

    assertThat(durable().prefixes(LLAMA, new long[] {1, 2}, worker -> true)).hasSize(WORKERS);
    assertThat(durable().listWorkers()).hasSize(WORKERS);
    for (WorkerId worker : offsets.keySet()) {
      assertThat(durable().readOffset(worker)).isEqualTo(offsets.get(worker));
      durable().drop(worker);
    }
    assertThat(durable().holders(LLAMA, 1)).isEmpty();
    assertThat(durable().listWorkers()).isEmpty();
  }

  @Test
  void care_reachesAllSlots() {
    Map<WorkerId, Long> offsets = admitEverywhere(new HashMap<>(), 1);
    RedisCare care = durable().care();

    assertThat(care.evictionPolicy()).contains(RedisCare.NO_EVICTION);
    assertThat(offsets.keySet()).allMatch(care::isWhole);
    durable().begin("topic");
    assertThat(durable().advance(0, 7, durable().readLog().life())).isTrue();
    WorkerId one = offsets.keySet().iterator().next();
    care.purge(one);

    assertThat(durable().readOffset(one)).isEqualTo(-1);
    assertThat(durable().holders(LLAMA, 1)).hasSize(WORKERS - 1);
    care.purge();
    assertThat(offsets.keySet()).allMatch(worker -> durable().readOffset(worker) == -1);
    assertThat(durable().listWorkers()).isEmpty();
    assertThat(durable().readLog().life()).isEmpty();
  }

  /** The last test: a node is lost for it. */
  @Test
  @Order(Integer.MAX_VALUE)
  void killedPrimary_itsReplicaTakesOver_withoutARestart() {
    Map<WorkerId, Long> offsets = admitEverywhere(new HashMap<>(), 1);

    redis.kill(0);

    await()
        .atMost(Duration.ofSeconds(15))
        .ignoreExceptionsInstanceOf(DurableViewException.class)
        .untilAsserted(() -> admitEverywhere(offsets, 2));
    assertThat(durable().prefixes(LLAMA, new long[] {1, 2}, worker -> true))
        .hasSize(WORKERS)
        .allMatch(match -> match.length() == 2);
  }

  /** Every worker that has not yet admits the chunks up to this one. */
  private Map<WorkerId, Long> admitEverywhere(Map<WorkerId, Long> offsets, long chunk) {
    IntStream.range(0, WORKERS)
        .mapToObj(i -> new WorkerId("worker-" + i, 0))
        .forEach(worker -> admit(offsets, worker, chunk));
    return offsets;
  }

  private void admit(Map<WorkerId, Long> offsets, WorkerId worker, long chunk) {
    long held = durable().readOffset(worker);
    if (held == chunk) {
      return;
    }
    long[] chunks = LongStream.rangeClosed(1, chunk).toArray();
    boolean[] admits = new boolean[chunks.length];
    Arrays.fill(admits, true);
    var step = new ChangeStep.Operations(CPU, LLAMA, chunks, admits, false);
    assertThat(durable().apply(IndexChanges.change(worker, held, chunk, step)))
        .isInstanceOf(ChangeOutcome.Applied.class);
    offsets.put(worker, chunk);
  }
}
