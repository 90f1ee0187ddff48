package io.kvmesh.quickstart.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvmesh.cli.Kvmesh;
import io.kvmesh.quickstart.fleet.AgentSpec;
import io.kvmesh.quickstart.fleet.Fleet;
import io.kvmesh.quickstart.fleet.FleetSettings;
import io.kvmesh.quickstart.fleet.Http;
import io.kvmesh.quickstart.fleet.Member;
import io.kvmesh.quickstart.fleet.Modules;
import io.kvmesh.quickstart.fleet.WorkFolder;
import io.kvmesh.quickstart.options.Policy;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.DoublePredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Things are broken on purpose in a fleet with Prometheus beside it. Each is seen in an alert, in a
 * panel and by {@code kvmesh doctor}, which says what to change, and in none of them any more once
 * it is mended.
 */
@Tag("replay")
@Order(5)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BrokenOnPurposeIT {

  private static final String INDEX = "kvmesh: index health";
  private static final String AGENTS = "kvmesh: agents";
  private static final String WINDOW = "5s";
  private static final Duration SEEN = Duration.ofMinutes(1);

  /** Silence is noticed sooner than by default, for the same reason as alerts are cut short. */
  private static final String CONTROLLER_SETTINGS =
      "kvmesh.liveness: {heartbeat-interval: 1s, silent-after: 4s, expire-after: 8s}\n";

  private static final String AGENT_SETTINGS = "kvmesh.liveness.heartbeat-interval: 1s\n";

  private final Http http = new Http();
  private Path work;
  private Fleet fleet;
  private Prometheus prometheus;

  /**
   * How a fault is seen.
   *
   * @param alert that fires
   * @param labels that the alert has, among others
   * @param panel that shows it
   * @param wrong values of the panel's queries that nobody sees while all is well
   * @param doctor what it says, and what to change
   */
  private record Signs(
      String alert,
      Map<String, String> labels,
      Panel panel,
      DoublePredicate wrong,
      List<String> doctor) {}

  /** What is done to the fleet. */
  private interface Deed {
    void run() throws Exception;
  }

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    assumeTrue(Prometheus.isInstalled(), Prometheus.MISSING);
    List<AgentSpec> agents =
        Stream.of("agent-0", "agent-1", "agent-2")
            .map(name -> new AgentSpec(name, FleetSettings.MODEL, Policy.LRU, 100))
            .toList();
    FleetSettings settings = new FleetSettings(2, agents, 4 << 10);
    WorkFolder workFolder = WorkFolder.create(folder);
    work = workFolder.path();
    fleet = Fleet.create(settings, Modules.ofThisBuild(), workFolder, http);
    for (Member controller : fleet.controllers()) {
      write(controller, "controller.yml", CONTROLLER_SETTINGS);
    }
    for (Member agent : fleet.agents()) {
      write(agent, "agent.yml", AGENT_SETTINGS);
    }
    fleet.start();
    prometheus = Prometheus.start(folder, targets(), ShortRules.write(folder));
  }

  private void write(Member member, String file, String settings) throws IOException {
    Path folder = Files.createDirectories(work.resolve(member.name()));
    Files.writeString(folder.resolve(file), settings);
  }

  private List<String> targets() {
    return Stream.concat(
            fleet.controllers().stream().map(it -> it.address(Fleet.REST)),
            fleet.agents().stream().map(it -> it.address(Fleet.MANAGEMENT)))
        .toList();
  }

  @AfterAll
  void stop() {
    if (prometheus != null) {
      prometheus.close();
    }
    if (fleet != null) {
      fleet.close();
    }
  }

  @BeforeEach
  void awaitAllIsWell() {
    await()
        .atMost(SEEN)
        .untilAsserted(
            () -> {
              Doctor doctor = doctor();
              assertThat(doctor.status()).as(doctor.says()).isZero();
              assertThat(doctor.says()).contains("2 controllers and 3 workers examined");
            });
  }

  @Test
  void redisIsDown() throws Exception {
    Signs signs =
        new Signs(
            "KvmeshDependencyDown",
            Map.of("dependency", "redis"),
            Panel.of(INDEX, "Kafka and Redis"),
            value -> value == 0,
            List.of("Redis does not answer: ", "start Redis, or correct kvmesh.redis.uri"));
    breakAndMend(signs, fleet.redis()::kill, () -> startAgain(fleet.redis()));
  }

  @Test
  void kafkaIsDown() throws Exception {
    Signs signs =
        new Signs(
            "KvmeshDependencyDown",
            Map.of("dependency", "kafka"),
            Panel.of(INDEX, "Kafka and Redis"),
            value -> value == 0,
            List.of(
                "Kafka doesn't answer it",
                "start Kafka, or correct kvmesh.kafka.bootstrap-servers"));
    breakAndMend(signs, fleet.kafka()::kill, () -> startAgain(fleet.kafka()));
  }

  @Test
  void anAgentIsGone() throws Exception {
    Member victim = fleet.agents().getLast();
    Signs signs =
        new Signs(
            "KvmeshWorkersWrittenOff",
            Map.of(),
            Panel.of(INDEX, "Suspect, silent or gone"),
            value -> value >= 1,
            List.of(victim.name() + "/0: was written off at", "start it again if it is gone"));
    breakAndMend(signs, victim::kill, victim::start);
  }

  @Test
  void anAgentHashesWithAnotherSeed() throws Exception {
    Member victim = fleet.agents().getLast();
    Signs signs =
        new Signs(
            "KvmeshParametersDiffer",
            Map.of(),
            Panel.of(INDEX, "Set up differently"),
            value -> value >= 1,
            List.of(
                victim.name() + "/0: announces another hashSeed than",
                "make its kvmesh.model.* the same as the others'"));
    breakAndMend(
        signs,
        () -> restart(victim, AGENT_SETTINGS + "kvmesh.model.hash-seed: 7\n"),
        () -> restart(victim, AGENT_SETTINGS));
  }

  @Test
  void oneOfTheControllersIsDown() throws Exception {
    Member victim = fleet.controllers().getLast();
    Signs signs =
        new Signs(
            "KvmeshControllerAway",
            Map.of(),
            Panel.of(AGENTS, "Controllers that answer"),
            value -> value < 2,
            List.of(victim.address(Fleet.REST) + ": nothing answers there", "start it, or name"));
    breakAndMend(signs, victim::kill, victim::start);
  }

  private void restart(Member agent, String settings) throws Exception {
    agent.terminate();
    agent.onExit().join();
    write(agent, "agent.yml", settings);
    agent.start();
  }

  /** A port is free only when the server has noticed that its parent is gone. */
  private static void startAgain(Member member) {
    await()
        .atMost(SEEN)
        .ignoreExceptions()
        .until(
            () -> {
              member.start();
              return true;
            });
  }

  private void breakAndMend(Signs signs, Deed breakIt, Deed mend) throws Exception {
    await().atMost(SEEN).untilAsserted(() -> assertUnseen(signs));
    breakIt.run();
    try {
      await().atMost(SEEN).untilAsserted(() -> assertSeen(signs));
      Doctor doctor = doctor();
      assertThat(doctor.status()).as(doctor.says()).isEqualTo(1);
      assertThat(doctor.says()).contains(signs.doctor());
    } finally {
      mend.run();
    }
    await().atMost(SEEN).untilAsserted(() -> assertUnseen(signs));
  }

  private void assertSeen(Signs signs) throws IOException {
    List<Prometheus.Firing> firing = prometheus.firing();
    assertThat(firing).as("firing").anyMatch(it -> tells(it, signs));
    assertThat(values(signs.panel()))
        .as("%s", signs.panel())
        .anyMatch(value -> signs.wrong().test(value));
    String runbook = "docs/runbook.md#" + signs.alert().toLowerCase(Locale.ROOT);
    assertThat(Alerts.runbooks()).contains(runbook);
    assertThat(firing)
        .filteredOn(it -> tells(it, signs))
        .allMatch(it -> it.runbook().equals(runbook));
    assertThat(Alerts.toDo(signs.alert())).as("what %s says is to be done", runbook).isNotEmpty();
  }

  private void assertUnseen(Signs signs) {
    assertThat(prometheus.firing()).as("firing").noneMatch(it -> tells(it, signs));
    assertThat(values(signs.panel()))
        .as("%s", signs.panel())
        .isNotEmpty()
        .noneMatch(value -> signs.wrong().test(value));
  }

  private static boolean tells(Prometheus.Firing alert, Signs signs) {
    return alert.name().equals(signs.alert())
        && alert.labels().entrySet().containsAll(signs.labels().entrySet());
  }

  private List<Double> values(Panel panel) {
    return panel.queries().stream()
        .flatMap(query -> prometheus.query(Panel.plain(query, WINDOW)).stream())
        .toList();
  }

  /** What the command line found. */
  private record Doctor(int status, String says) {}

  private Doctor doctor() {
    String urls =
        fleet.controllers().stream()
            .map(it -> "http://" + it.address(Fleet.REST))
            .collect(Collectors.joining(","));
    StringWriter out = new StringWriter();
    int status =
        Kvmesh.commandLine()
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(out))
            .execute("doctor", "--url", urls, "--wait", "5");
    return new Doctor(status, out.toString());
  }
}
