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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Two controllers and three agents under load; one after the other is killed, or stopped for a
 * while, at random. Takes minutes: runs with the profile {@code replays} only.
 */
@Tag("replay")
@Order(4)
class ControllersIT {

  private static final Logger LOG = LoggerFactory.getLogger(ControllersIT.class);

  private static final Duration FAULTS = Duration.ofSeconds(Long.getLong("kvmesh.test.faults", 90));
  private static final long SEED = Long.getLong("kvmesh.test.seed", 1);
  private static final int LONGEST_STOP_SECONDS = 20;
  private static final Duration HEALED = Duration.ofMinutes(2);
  private static final int CHUNKS = 1_000;
  private static final int PAGE_BYTES = 4 << 10;

  private final Http http = new Http();
  private final SplittableRandom random = new SplittableRandom(SEED);

  @Test
  void anyProgramKilledOrStopped_fourViewsAgreeInTheEnd(@TempDir Path folder) throws Exception {
    List<AgentSpec> agents =
        IntStream.range(0, 3)
            .mapToObj(i -> new AgentSpec("agent-" + i, FleetSettings.MODEL, Policy.LRU, CHUNKS))
            .toList();
    FleetSettings settings = new FleetSettings(2, agents, PAGE_BYTES);
    try (Fleet fleet =
            Fleet.create(settings, Modules.ofThisBuild(), WorkFolder.create(folder), http);
        FleetProbe probe = new FleetProbe(fleet, http, PAGE_BYTES)) {
      fleet.start();
      List<ChunkKey> stored = underFaults(fleet);
      awaitViewsAgree(fleet, probe, stored);
      for (Member agent : fleet.agents()) {
        awaitNothingHeld(agent);
      }
    }
  }

  private List<ChunkKey> underFaults(Fleet fleet) throws Exception {
    List<Member> victims =
        Stream.concat(fleet.controllers().stream(), fleet.agents().stream()).toList();
    long end = System.nanoTime() + FAULTS.toNanos();
    try (EngineLoad load = EngineLoad.start(fleet, http, PAGE_BYTES, SEED)) {
      for (int i = 0; System.nanoTime() < end; i++) {
        Member victim = victims.get(i % victims.size());
        if (random.nextBoolean()) {
          kill(victim);
        } else {
          stop(victim);
        }
        pass(Duration.ofMillis(random.nextLong(3_000)));
      }
      List<ChunkKey> stored = load.stop();
      LOG.info("{} chunks stored, {} came from other agents", stored.size(), load.peerHits());
      assertThat(load.peerHits()).isPositive();
      return stored;
    }
  }

  private void kill(Member victim) throws Exception {
    LOG.info("{} is killed", victim.name());
    victim.kill();
    pass(Duration.ofMillis(random.nextLong(2_000)));
    victim.start();
  }

  private void stop(Member victim) throws Exception {
    Duration time = Duration.ofSeconds(random.nextLong(1, LONGEST_STOP_SECONDS));
    LOG.info("{} is stopped for {} s", victim.name(), time.toSeconds());
    Signals.stop(victim);
    try {
      pass(time);
    } finally {
      Signals.goOn(victim);
    }
  }

  private static void pass(Duration time) throws InterruptedException {
    new CountDownLatch(1).await(time.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void awaitViewsAgree(Fleet fleet, FleetProbe probe, List<ChunkKey> stored)
      throws Exception {
    Map<String, Set<String>> resident = probe.inventory(stored);
    await()
        .atMost(HEALED)
        .pollInterval(Duration.ofMillis(500))
        .untilAsserted(
            () -> {
              for (Member controller : fleet.controllers()) {
                assertThat(probe.index(controller, stored)).contains(resident);
              }
              try (RedisView redis = new RedisView(fleet.redis().address(Fleet.CLIENT))) {
                assertThat(redis.placements(fleet.agents())).isEqualTo(resident);
              }
            });
  }

  private void awaitNothingHeld(Member agent) {
    await()
        .atMost(HEALED)
        .untilAsserted(
            () -> {
              AgentState state = AgentState.of(agent, http);
              assertThat(state.pending()).isZero();
              assertThat(state.loans()).isZero();
              assertThat(state.resident() + state.freePages()).isEqualTo(CHUNKS);
            });
  }
}
