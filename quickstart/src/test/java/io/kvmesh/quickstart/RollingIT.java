package io.kvmesh.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.quickstart.fleet.AgentSpec;
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
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Programs are told to end and are started again, one after the other, under load, as an upgrade
 * does it. An engine that finds its agent away goes to another one; no request may fail otherwise.
 */
@Tag("replay")
@Order(2)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RollingIT {

  private static final int CHUNKS = 4_000;
  private static final int PAGE_BYTES = 4 << 10;
  private static final String DRAIN = "--kvmesh.drain.at-shutdown=20s";
  private static final Duration HEALED = Duration.ofMinutes(2);

  /** To hand over and to close, on a slow machine. */
  private static final Duration ENDED = Duration.ofSeconds(60);

  private final Http http = new Http();
  private Fleet fleet;
  private FleetProbe probe;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    List<AgentSpec> agents =
        IntStream.range(0, 3)
            .mapToObj(i -> new AgentSpec("agent-" + i, FleetSettings.MODEL, Policy.LRU, CHUNKS))
            .toList();
    FleetSettings settings = new FleetSettings(2, agents, PAGE_BYTES).withAgents(DRAIN);
    fleet = Fleet.create(settings, Modules.ofThisBuild(), WorkFolder.create(folder), http);
    probe = new FleetProbe(fleet, http, PAGE_BYTES);
    fleet.start();
  }

  @AfterAll
  void stop() {
    probe.close();
    fleet.close();
  }

  @Test
  void eachProgramEndedAndStarted_noRequestFails_noChunkIsLost_andAllViewsAgree() throws Exception {
    List<ChunkKey> old = probe.keys(1_000_000, 1_000_060);
    probe.store(fleet.agents().getFirst(), old);
    awaitViewsAgree(old);
    List<ChunkKey> stored;
    try (RetryingLoad load = RetryingLoad.start(fleet, http, PAGE_BYTES)) {
      for (Member member :
          Stream.concat(fleet.controllers().stream(), fleet.agents().stream()).toList()) {
        load.awaitMore(20);
        restart(member);
        assertHeldBySomebody(old);
      }
      load.awaitMore(20);
      stored = load.stop();
      assertThat(load.failed()).as("of %s requests", load.requests()).isEmpty();
    }
    awaitViewsAgree(Stream.concat(old.stream(), stored.stream()).toList());
    for (Member agent : fleet.agents()) {
      assertThat(probe.retrieve(agent, old, Duration.ofSeconds(10)).chunks())
          .as("the old prefix, at %s", agent.name())
          .isEqualTo(60);
    }
  }

  private void restart(Member member) throws Exception {
    var exit = member.onExit();
    member.terminate();
    exit.get(ENDED.toSeconds(), TimeUnit.SECONDS);
    member.start();
  }

  private void assertHeldBySomebody(List<ChunkKey> chunks) throws Exception {
    Set<String> held = new TreeSet<>();
    probe.inventory(chunks).values().forEach(held::addAll);
    assertThat(held).hasSize(chunks.size());
  }

  private void awaitViewsAgree(List<ChunkKey> stored) throws Exception {
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
}
