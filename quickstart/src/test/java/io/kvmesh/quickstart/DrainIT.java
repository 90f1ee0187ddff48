package io.kvmesh.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.quickstart.OperatorShell.Told;
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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * An agent is drained by command while engines store and retrieve, and in the middle of it the
 * agent, the one that takes its chunks or the controller that was told dies or stands still. What
 * the report says is at another agent must be there, the drained agent must have all, and nothing
 * may stay held. Every test begins with empty agents.
 */
@Tag("replay")
@Order(1)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DrainIT {

  private static final int CHUNKS = 2_000;
  private static final int PAGE_BYTES = 16 << 10;

  /** Each goes in a push of its own, so that a drain has a middle. */
  private static final int DRAINED = 400;

  private static final Duration PUT_DEADLINE = Duration.ofSeconds(3);
  private static final Duration SOON = Duration.ofSeconds(60);

  private final Http http = new Http();
  private Fleet fleet;
  private FleetProbe probe;
  private Member going;
  private Member first;
  private Member second;
  private OperatorShell shell;
  private RetryingLoad load;
  private List<ChunkKey> keys;
  private long nextBlock = 1_000_000;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    List<AgentSpec> agents =
        IntStream.range(0, 3)
            .mapToObj(i -> new AgentSpec("agent-" + i, FleetSettings.MODEL, Policy.LRU, CHUNKS))
            .toList();
    FleetSettings settings =
        new FleetSettings(2, agents, PAGE_BYTES)
            .withAgents(
                "--kvmesh.peer.get-bytes=" + PAGE_BYTES + "B",
                "--kvmesh.move.put-deadline=" + PUT_DEADLINE.toSeconds() + "s",
                "--kvmesh.move.hold=5s");
    fleet = Fleet.create(settings, Modules.ofThisBuild(), WorkFolder.create(folder), http);
    probe = new FleetProbe(fleet, http, PAGE_BYTES);
    fleet.start();
    going = fleet.agents().get(0);
    first = fleet.agents().get(1);
    second = fleet.agents().get(2);
    shell = new OperatorShell(fleet.controllers().toArray(Member[]::new));
  }

  @AfterAll
  void stop() {
    probe.close();
    fleet.close();
  }

  /** The one with the fewest chunks is the first to be given some. */
  @BeforeEach
  void fill() throws Exception {
    keys = fresh(DRAINED);
    probe.store(going, keys);
    List<ChunkKey> others = fresh(DRAINED);
    probe.store(second, others);
    await().atMost(SOON).until(() -> placed(keys) == DRAINED && placed(others) == DRAINED);
    load = RetryingLoad.start(fleet, http, PAGE_BYTES);
    load.awaitMore(4);
  }

  /** Each test begins with the one that is drained started anew. */
  @AfterEach
  void renew() throws Exception {
    load.close();
    if (going.isAlive()) {
      going.kill();
    }
    for (Member agent : fleet.agents()) {
      if (agent.isAlive()) {
        shell.kvmesh("clear", agent.name());
      } else {
        agent.start();
      }
    }
  }

  @Test
  void targetKilledInTheMiddle_allGoesToTheNext() throws Exception {
    Told told = whileDraining(first::kill);
    first.start();

    assertThat(told.status()).as("%s", told).isZero();
    JsonNode report = told.json().path("workers").path(0);
    assertAllThere(report);
    assertThat(texts(report.path("targets"))).containsExactly(second.address("peer_init"));
    assertThat(resident(second)).hasSize(DRAINED);
    assertSettled(going, first, second);
  }

  @Test
  void onlyTargetKilledInTheMiddle_reportSaysThatNothingIsKnownToBeThere() throws Exception {
    Told told = whileDraining(first::kill, "--target", first.name());
    first.start();

    assertThat(told.status()).as("%s", told).isEqualTo(1);
    JsonNode report = told.json().path("workers").path(0);
    assertThat(told.json().path("state").asString()).isEqualTo("PARTIAL");
    assertThat(report.path("error").asString()).isNotBlank();
    assertThat(thereOf(report)).isZero();
    assertThat(report.path("bytes").asLong()).isZero();
    assertThat(report.path("outcomes").path("UNCONFIRMED").asInt()).isPositive();
    assertThat(report.path("left")).isNotEmpty();
    assertSettled(going, first, second);
  }

  @Test
  void targetStoppedForLongerThanItsDeadline_theNextGetsAll_andItLetsGo() throws Exception {
    Told told;
    try {
      told = whileDraining(() -> Signals.stop(first));
    } finally {
      Signals.goOn(first);
    }

    assertThat(told.status()).as("%s", told).isZero();
    assertAllThere(told.json().path("workers").path(0));
    assertThat(resident(second)).hasSize(DRAINED);
    assertSettled(going, first, second);
  }

  @Test
  void drainedAgentKilledInTheMiddle_commandSaysSoSoon_andTheTargetLetsGo() throws Exception {
    long start = System.nanoTime();
    Told told = whileDraining(going::kill);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SOON);
    going.start();
    assertThat(told.status()).isEqualTo(1);
    JsonNode report = told.json().path("workers").path(0);
    assertThat(report.path("status").asString()).isEqualTo("UNREACHABLE");
    assertThat(report.path("error").asString()).contains("may have done it");
    assertThat(resident(first)).as("what it got, it keeps").isNotEmpty();
    assertSettled(first, second);
  }

  @Test
  void controllerKilledInTheMiddle_theDrainGoesOn_andTheOtherOneServes() throws Exception {
    Member told = fleet.controllers().get(0);
    Member other = fleet.controllers().get(1);
    try {
      Told lost = whileDraining(told::kill);

      assertThat(lost.status()).as("%s", lost).isEqualTo(3);
      assertThat(lost.err()).contains("may have been carried out");
      Told unknown = shell.kvmesh("commands", "leave-" + nextBlock);
      assertThat(unknown.status()).isEqualTo(3);
      assertThat(unknown.err()).contains("nothing answers there");
      await()
          .atMost(SOON)
          .untilAsserted(() -> assertThat(drain(going).path("state").asString()).isEqualTo("over"));
      assertThat(resident(first)).hasSize(DRAINED);
      JsonNode again =
          new OperatorShell(other)
              .kvmesh("drain", going.name(), "--target", first.name(), "-o", "json")
              .json();
      assertThat(again.path("state").asString()).isEqualTo("DONE");
      assertThat(again.path("workers").path(0).path("outcomes").path("RESIDENT").asInt())
          .isGreaterThanOrEqualTo(DRAINED);
      assertThat(probe.retrieve(second, keys, SOON).peer()).isEqualTo(DRAINED);
      assertSettled(going, first, second);
    } finally {
      told.start();
    }
  }

  @Test
  void undrainedInTheMiddle_nothingIsLost_andItTakesFromOthersAgain() throws Exception {
    List<Told> undrained = new ArrayList<>();

    Told told =
        whileDraining(() -> undrained.add(shell.kvmesh("undrain", going.name(), "-o", "json")));

    assertThat(undrained.getFirst().status()).as("%s", undrained).isZero();
    JsonNode ended = undrained.getFirst().json().path("workers").path(0);
    JsonNode report = told.json().path("workers").path(0);
    assertThat(report.path("error").asString()).isEqualTo("it was cancelled");
    assertThat(report.path("outcomes"))
        .as("both tell how far it came")
        .isEqualTo(ended.path("outcomes"));
    assertThat(thereOf(report)).isPositive().isLessThan(report.path("chunks").asInt());
    assertThat(sum(report.path("outcomes"))).isEqualTo(report.path("chunks").asInt());
    assertThat(resident(first)).as("what was handed over stays").isNotEmpty();
    assertStaysAndTakes();
  }

  @Test
  void undrainedAfterItWasDrained_itTakesFromOthersAgain() throws Exception {
    assertThat(shell.kvmesh("drain", going.name(), "--wait", "60").status()).isZero();
    awaitDrain(going, "DRAINED");
    Told refused = shell.kvmesh("drain", second.name(), "--target", going.name(), "-o", "json");
    assertThat(refused.json().path("workers").path(0).path("outcomes").path("REFUSED").asInt())
        .as("%s", refused)
        .isPositive();

    Told undrained = shell.kvmesh("undrain", going.name());

    assertThat(undrained.status()).as("%s", undrained).isZero();
    assertStaysAndTakes();
  }

  /** Controllers say that it stays, and name it to one that is drained, which hands it all. */
  private void assertStaysAndTakes() throws Exception {
    awaitDrain(going, "");
    // What the load has stored by now could be more than a target holds for moves.
    load.stop();
    assertThat(shell.kvmesh("clear", first.name()).status()).isZero();
    List<ChunkKey> later = fresh(20);
    probe.store(first, later);
    await().atMost(SOON).until(() -> placed(later) == later.size());

    Told told = shell.kvmesh("drain", first.name(), "--target", going.name(), "-o", "json");

    assertThat(told.status()).as("%s", told).isZero();
    assertThat(probe.inventory(going, later)).hasSize(later.size());
    assertThat(shell.kvmesh("undrain", first.name()).status()).isZero();
    assertThat(shell.kvmesh("undrain", second.name()).status()).isZero();
    awaitDrain(first, "");
    awaitDrain(second, "");
    assertSettled(going, first, second);
  }

  /** Until all controllers know this of it. */
  private void awaitDrain(Member agent, String state) {
    for (Member controller : fleet.controllers()) {
      OperatorShell one = new OperatorShell(controller);
      await().atMost(SOON).until(() -> toldDrain(one, agent).equals(state));
    }
  }

  private static String toldDrain(OperatorShell controller, Member agent) {
    JsonNode workers = controller.kvmesh("workers", agent.name(), "-o", "json").json();
    return workers.path("workers").path(0).path("drain").asString("");
  }

  /** What harms somebody. */
  private interface Fault {
    void happen() throws Exception;
  }

  /** Drains, and has the fault happen in the middle; what an operator is told in the end. */
  private Told whileDraining(Fault fault, String... options) throws Exception {
    List<String> words =
        new ArrayList<>(
            List.of("drain", going.name(), "--id", "leave-" + nextBlock, "--wait", "60"));
    words.addAll(List.of("-o", "json"));
    words.addAll(List.of(options));
    CompletableFuture<Told> end =
        CompletableFuture.supplyAsync(() -> shell.kvmesh(words.toArray(String[]::new)));
    await()
        .atMost(SOON)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .until(() -> end.isDone() || sum(drain(going).path("done")) > 100);
    assertThat(end).as("the drain is under way").isNotDone();
    fault.happen();
    return end.get(SOON.toSeconds(), TimeUnit.SECONDS);
  }

  private JsonNode drain(Member agent) throws InterruptedException {
    return state(agent).path("drain");
  }

  private JsonNode state(Member agent) throws InterruptedException {
    return http.get(agent.address(Fleet.MANAGEMENT), "/actuator/agent").orElseThrow();
  }

  private static int sum(JsonNode counts) {
    return counts.values().stream().mapToInt(JsonNode::asInt).sum();
  }

  /** What the load had stored by then is in the report, too. */
  private static void assertAllThere(JsonNode report) {
    int chunks = report.path("chunks").asInt();
    assertThat(chunks).isGreaterThanOrEqualTo(DRAINED);
    assertThat(thereOf(report)).isEqualTo(chunks);
    assertThat(report.path("bytes").asLong()).isEqualTo((long) chunks * PAGE_BYTES);
  }

  /** Chunks that are at a target, as a report says. */
  private static int thereOf(JsonNode report) {
    JsonNode outcomes = report.path("outcomes");
    return outcomes.path("COPIED").asInt() + outcomes.path("RESIDENT").asInt();
  }

  private static List<String> texts(JsonNode array) {
    return array.values().stream().map(JsonNode::asString).toList();
  }

  private Set<String> resident(Member agent) throws Exception {
    return probe.inventory(agent, keys);
  }

  private int placed(List<ChunkKey> chunks) throws InterruptedException {
    return probe
        .index(chunks)
        .map(index -> index.values().stream().mapToInt(Set::size).sum())
        .orElse(0);
  }

  private List<ChunkKey> fresh(int count) {
    List<ChunkKey> fresh = probe.keys(nextBlock, nextBlock + count);
    nextBlock += count;
    return fresh;
  }

  /** Nothing was lost to engines, the drained agent has all, and nobody holds anything. */
  private void assertSettled(Member... agents) throws Exception {
    load.stop();
    assertThat(load.failed()).as("of %s requests", load.requests()).isEmpty();
    for (Member agent : agents) {
      await()
          .atMost(SOON)
          .untilAsserted(
              () -> {
                AgentState state = AgentState.of(agent, http);
                assertThat(state.pending()).as(agent.name()).isZero();
                assertThat(state.loans()).as(agent.name()).isZero();
                assertThat(state.resident() + state.freePages()).isEqualTo(CHUNKS);
                assertThat(state(agent).path("heldForMoves").asInt()).as(agent.name()).isZero();
                assertThat(state(agent).path("cache").path("leasedChunks").asInt())
                    .as(agent.name())
                    .isZero();
              });
    }
    if (List.of(agents).contains(going)) {
      assertThat(resident(going)).as("what was handed over stays here").hasSize(DRAINED);
    }
  }
}
