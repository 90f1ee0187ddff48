package io.kvmesh.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.quickstart.fleet.AgentSpec;
import io.kvmesh.quickstart.fleet.AgentState;
import io.kvmesh.quickstart.fleet.Fleet;
import io.kvmesh.quickstart.fleet.FleetSettings;
import io.kvmesh.quickstart.fleet.Http;
import io.kvmesh.quickstart.fleet.Member;
import io.kvmesh.quickstart.fleet.Modules;
import io.kvmesh.quickstart.fleet.WorkFolder;
import io.kvmesh.quickstart.options.Policy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The controller of three full agents is killed and starts with an empty Redis, and with an empty
 * log too. Nothing is stored meanwhile: what the agents say by themselves must fill its index.
 */
@Tag("replay")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ResyncIT {

  private static final Logger LOG = LoggerFactory.getLogger(ResyncIT.class);

  private static final int AGENTS = 3;
  private static final int CHUNKS = 20_000;

  /** Neighbours share a quarter of their chunks. */
  private static final int STEP = CHUNKS * 3 / 4;

  private static final int RECORDS = AGENTS * CHUNKS;
  private static final int SAMPLE = 100;
  private static final int PAGE_BYTES = 1 << 10;
  private static final Duration WHOLE_AGAIN = Duration.ofMinutes(2);

  private final Http http = new Http();
  private final Random random = new Random(6);
  private Fleet fleet;
  private FleetProbe probe;
  private List<ChunkKey> keys;

  @BeforeAll
  void fill(@TempDir Path folder) throws Exception {
    List<AgentSpec> agents =
        IntStream.range(0, AGENTS)
            .mapToObj(i -> new AgentSpec("agent-" + i, FleetSettings.MODEL, Policy.LRU, CHUNKS))
            .toList();
    FleetSettings settings = new FleetSettings(1, agents, PAGE_BYTES);
    fleet = Fleet.create(settings, Modules.ofThisBuild(), WorkFolder.create(folder), http);
    probe = new FleetProbe(fleet, http, PAGE_BYTES);
    fleet.start();
    keys = probe.keys(1, 1 + STEP * (AGENTS - 1) + CHUNKS);
    for (int i = 0; i < AGENTS; i++) {
      probe.store(fleet.agents().get(i), keysOf(i));
      assertThat(AgentState.of(fleet.agents().get(i), http).resident()).isEqualTo(CHUNKS);
    }
    awaitWhole();
  }

  @AfterAll
  void stop() {
    probe.close();
    fleet.close();
  }

  private List<ChunkKey> keysOf(int agent) {
    return keys.subList(agent * STEP, agent * STEP + CHUNKS);
  }

  @Test
  void redisEmpty_logHasAll() throws Exception {
    fleet.controller().kill();
    Losses.redis(fleet);
    long begin = System.nanoTime();
    fleet.controller().start();
    awaitWhole();
    log("with the log alone", begin);
  }

  @Test
  void redisAndLogEmpty_agentsListAll() throws Exception {
    fleet.controller().kill();
    Losses.redis(fleet);
    Losses.log(fleet);
    long begin = System.nanoTime();
    fleet.controller().start();
    awaitWhole();
    log("with neither Redis nor log", begin);
    assertThat(counted("snapshots")).isGreaterThanOrEqualTo(AGENTS);
  }

  @Test
  void redisEmptyAndTopicDeleted_agentsListAllInANewOne() throws Exception {
    fleet.controller().kill();
    Losses.redis(fleet);
    Losses.topic(fleet);
    long begin = System.nanoTime();
    fleet.controller().start();
    awaitWhole();
    log("with neither Redis nor the topic", begin);
    assertThat(counted("snapshots")).isGreaterThanOrEqualTo(AGENTS);
  }

  private static void log(String how, long begin) {
    LOG.info(
        "{}: all {} records again {} s after the controller's start",
        how,
        RECORDS,
        Duration.ofNanos(System.nanoTime() - begin).toMillis() / 1000.0);
  }

  private void awaitWhole() throws Exception {
    await()
        .atMost(WHOLE_AGAIN)
        .pollInterval(Duration.ofMillis(200))
        .untilAsserted(() -> assertThat(placements()).isEqualTo(RECORDS));
    Map<String, Set<String>> expected = expected();
    assertThat(probe.index(keys)).contains(expected);
    try (RedisView redis = new RedisView(fleet.redis().address(Fleet.CLIENT))) {
      await()
          .atMost(WHOLE_AGAIN)
          .untilAsserted(() -> assertThat(redis.placements(fleet.agents())).isEqualTo(expected));
    }
    List<ChunkKey> sample = sample();
    assertThat(probe.index(sample)).contains(probe.presence(sample));
    for (Member agent : fleet.agents()) {
      assertThat(AgentState.of(agent, http).resident()).isEqualTo(CHUNKS);
    }
  }

  private long placements() throws InterruptedException {
    return http.get(fleet.controller().address(Fleet.REST), "/api/v1/keys/stats")
        .map(stats -> stats.path("placements").asLong())
        .orElse(-1L);
  }

  /** By the view in memory since the controller's start. */
  private long counted(String counter) throws InterruptedException {
    return http.get(fleet.controller().address(Fleet.REST), "/actuator/kvindex")
        .orElseThrow()
        .path("memory")
        .path(counter)
        .asLong(-1);
  }

  private Map<String, Set<String>> expected() {
    Map<String, Set<String>> expected = new HashMap<>();
    for (int i = 0; i < AGENTS; i++) {
      expected.put(
          fleet.agents().get(i).name(),
          keysOf(i).stream().map(FleetProbe::text).collect(Collectors.toCollection(TreeSet::new)));
    }
    return expected;
  }

  private List<ChunkKey> sample() {
    List<ChunkKey> shuffled = new ArrayList<>(keys);
    Collections.shuffle(shuffled, random);
    return shuffled.subList(0, SAMPLE);
  }
}
