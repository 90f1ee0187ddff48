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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Programs of a running fleet die and come back. All tests share one fleet, each stores chunks of
 * its own, and in the end the view and the agents must agree on every chunk of every test.
 */
@Tag("replay")
@Order(6)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FaultIT {

  private static final int CHUNKS = 600;
  private static final int PAGE_BYTES = 256 << 10;
  private static final Duration HEALED = Duration.ofMinutes(2);
  private static final Duration DEADLINE = Duration.ofSeconds(2);

  /** What a slow machine may take beyond a deadline. */
  private static final Duration SLACK = Duration.ofSeconds(15);

  /** The deadline that the fleet's agents are set to: one machine does the work of many here. */
  private static final Duration OF_THE_FLEET = Duration.ofSeconds(10);

  private final Http http = new Http();
  private final List<ChunkKey> stored = new ArrayList<>();
  private Fleet fleet;
  private FleetProbe probe;
  private Member first;
  private Member second;
  private Member third;
  private long nextBlock = 1;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    List<AgentSpec> agents =
        Stream.of("agent-0", "agent-1", "agent-2")
            .map(name -> new AgentSpec(name, FleetSettings.MODEL, Policy.LRU, CHUNKS))
            .toList();
    FleetSettings settings = new FleetSettings(1, agents, PAGE_BYTES);
    fleet = Fleet.create(settings, Modules.ofThisBuild(), WorkFolder.create(folder), http);
    probe = new FleetProbe(fleet, http, PAGE_BYTES);
    fleet.start();
    first = fleet.agents().get(0);
    second = fleet.agents().get(1);
    third = fleet.agents().get(2);
  }

  @AfterAll
  void stop() {
    probe.close();
    fleet.close();
  }

  @Test
  void controllerKilledAndStarted_viewIsWholeWithoutNewPut() throws Exception {
    storeOnEach(60);
    awaitViewEqualsAgents();

    fleet.controller().kill();
    fleet.controller().start();

    awaitViewEqualsAgents();
  }

  @Test
  void fleetAtRest_doctorFindsNothingWrong() {
    await()
        .atMost(HEALED)
        .untilAsserted(
            () ->
                assertThat(doctor())
                    .contains("3 workers examined")
                    .doesNotContain("TROUBLE", "WARNING"));
  }

  @Test
  void prefixThatIsPrefetched_isThereBeforeItsEngineAsks() throws Exception {
    List<ChunkKey> prefix = fresh(60);
    probe.store(second, prefix.subList(0, 40));
    probe.store(third, prefix.subList(30, 50));
    awaitViewEqualsAgents();

    String told = kvmesh("prefetch", first.name(), "--keys", texts(prefix));

    assertThat(told).contains("done", "BROUGHT", "50", "MISSING", "10");
    FleetProbe.Retrieved retrieved = probe.retrieve(first, prefix, OF_THE_FLEET);
    assertThat(retrieved.local()).isEqualTo(50);
    assertThat(retrieved.peer()).isZero();
    awaitViewEqualsAgents();
  }

  private static String texts(List<ChunkKey> keys) {
    return keys.stream().map(ChunkKey::toString).collect(Collectors.joining(","));
  }

  @Test
  void agentKilledAndStarted_noneOfItsOldChunksIsOffered() throws Exception {
    List<ChunkKey> old = fresh(50);
    probe.store(second, old);
    awaitViewEqualsAgents();
    assertThat(probe.retrieve(first, old.subList(0, 5), OF_THE_FLEET).peer()).isEqualTo(5);

    second.kill();
    assertThat(doctor())
        .contains(
            second.name() + "/0: nothing listens at its peer address",
            second.name()
                + "/0: http://"
                + fleet.controller().address(Fleet.REST)
                + " can't ask it",
            "start it if it is gone");
    second.start();

    FleetProbe.Retrieved offered = probe.retrieve(third, old.subList(10, 50), OF_THE_FLEET);
    assertThat(offered.peer()).isZero();
    assertThat(offered.peerOutcome()).isEqualTo("miss");
    awaitViewEqualsAgents();
    List<ChunkKey> again = fresh(20);
    probe.store(second, again);
    awaitViewEqualsAgents();
    assertThat(probe.retrieve(third, again, OF_THE_FLEET).peer()).isEqualTo(20);
  }

  @Test
  void redisRestartedEmptyThenController_viewIsWhole() throws Exception {
    storeOnEach(40);
    awaitViewEqualsAgents();

    Losses.redis(fleet);
    storeOnEach(10);
    awaitViewEqualsAgents();
    fleet.controller().kill();
    fleet.controller().start();

    awaitViewEqualsAgents();
  }

  @Test
  void kafkaStoppedFor20Seconds_enginesAreServedAndViewCatchesUp() throws Exception {
    storeOnEach(20);
    awaitViewEqualsAgents();

    fleet.kafka().kill();
    storeOnEach(30);
    await().pollDelay(Duration.ofSeconds(20)).atMost(Duration.ofSeconds(25)).until(() -> true);
    storeOnEach(30);
    fleet.kafka().start();

    awaitViewEqualsAgents();
    List<ChunkKey> after = fresh(10);
    probe.store(first, after);
    awaitViewEqualsAgents();
    assertThat(probe.retrieve(second, after, OF_THE_FLEET).peer()).isEqualTo(10);
  }

  @Test
  void peerKilledInTheMiddleOfPull_requesterFallsBackAndLosesNoPage() throws Exception {
    List<ChunkKey> wanted = fresh(100);
    probe.store(third, wanted);
    awaitViewEqualsAgents();
    AgentState before = AgentState.of(first, http);

    Signals.stop(third);
    FutureTask<FleetProbe.Retrieved> pull = inBackground(() -> probeRetrieve(first, wanted));
    await().until(() -> AgentState.of(first, http).pending() > 0);
    third.kill();
    FleetProbe.Retrieved retrieved =
        pull.get(DEADLINE.plus(SLACK).toMillis(), TimeUnit.MILLISECONDS);

    assertThat(retrieved.peer()).isZero();
    assertThat(retrieved.peerOutcome()).isNotEqualTo("miss");
    await()
        .untilAsserted(
            () -> {
              AgentState after = AgentState.of(first, http);
              assertThat(after.resident()).isEqualTo(before.resident());
              assertThat(after.freePages()).isEqualTo(before.freePages());
            });
    third.start();
    awaitViewEqualsAgents();
  }

  @Test
  void oneOfTwoHoldersStopped_theOtherGivesAllWithinTheDeadline() throws Exception {
    List<ChunkKey> wanted = fresh(100);
    probe.store(second, wanted);
    probe.store(third, wanted);
    awaitViewEqualsAgents();

    Signals.stop(third);
    try {
      FleetProbe.Retrieved retrieved = probe.retrieve(first, wanted, OF_THE_FLEET);
      assertThat(retrieved.peer()).as("%s", retrieved).isEqualTo(100);
    } finally {
      Signals.goOn(third);
    }

    awaitViewEqualsAgents();
  }

  private FleetProbe.Retrieved probeRetrieve(Member agent, List<ChunkKey> chunks) throws Exception {
    try (FleetProbe own = new FleetProbe(fleet, http, PAGE_BYTES)) {
      return own.retrieve(agent, chunks, DEADLINE);
    }
  }

  private static <T> FutureTask<T> inBackground(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Thread.ofPlatform().daemon().name("pull").start(task);
    return task;
  }

  /** What the command line says is wrong. */
  private String doctor() {
    return kvmesh("doctor");
  }

  private String kvmesh(String... words) {
    return new OperatorShell(fleet.controller()).kvmesh(words).out();
  }

  /** Chunks that nobody has seen before. */
  private List<ChunkKey> fresh(int count) {
    List<ChunkKey> keys = probe.keys(nextBlock, nextBlock + count);
    nextBlock += count;
    stored.addAll(keys);
    return keys;
  }

  private void storeOnEach(int count) throws Exception {
    for (Member agent : fleet.agents()) {
      probe.store(agent, fresh(count));
    }
  }

  private void awaitViewEqualsAgents() throws Exception {
    Map<String, Set<String>> resident = probe.inventory(stored);
    await()
        .atMost(HEALED)
        .pollInterval(Duration.ofMillis(200))
        .untilAsserted(() -> assertThat(probe.index(stored)).contains(resident));
  }
}
