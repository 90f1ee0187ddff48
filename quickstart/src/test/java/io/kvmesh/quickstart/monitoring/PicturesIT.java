package io.kvmesh.quickstart.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvmesh.cli.Kvmesh;
import io.kvmesh.quickstart.EngineLoad;
import io.kvmesh.quickstart.fleet.AgentSpec;
import io.kvmesh.quickstart.fleet.Fleet;
import io.kvmesh.quickstart.fleet.FleetSettings;
import io.kvmesh.quickstart.fleet.Http;
import io.kvmesh.quickstart.fleet.Member;
import io.kvmesh.quickstart.fleet.Modules;
import io.kvmesh.quickstart.fleet.WorkFolder;
import io.kvmesh.quickstart.options.Policy;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Draws the dashboards as they look beside a fleet at work, if {@code kvmesh.pictures} names the
 * folder. During the run an agent is killed, and comes back.
 */
@Tag("replay")
@EnabledIfSystemProperty(named = "kvmesh.pictures", matches = ".+")
class PicturesIT {

  private static final int PAGE_BYTES = 4 << 10;
  private static final int CHUNKS = 400;

  /** Prefixes of 8 chunks that are asked for again: less than the agents hold together. */
  private static final int RECENT = 100;

  /** From one scrape, and one point of a line, to the next. */
  private static final Duration STEP = Duration.ofSeconds(3);

  private static final int POINTS = 61;
  private static final String WINDOW = "15s";
  private static final int MAX_BYTES = 150_000;

  private final Http http = new Http();

  @Test
  void dashboardsOfAFleetAtWork_areDrawn(@TempDir Path folder) throws Exception {
    assumeTrue(Prometheus.isInstalled(), Prometheus.MISSING);
    List<AgentSpec> agents =
        Stream.of("agent-0", "agent-1", "agent-2")
            .map(name -> new AgentSpec(name, FleetSettings.MODEL, Policy.LRU, CHUNKS))
            .toList();
    FleetSettings settings = new FleetSettings(2, agents, PAGE_BYTES);
    try (Fleet fleet =
        Fleet.create(settings, Modules.ofThisBuild(), WorkFolder.create(folder), http)) {
      fleet.start();
      try (EngineLoad load = EngineLoad.start(fleet, http, PAGE_BYTES, 1, RECENT);
          Prometheus prometheus = Prometheus.start(folder, addresses(fleet), Alerts.RULES, STEP)) {
        Instant start = Instant.now();
        await(start, 75);
        Member victim = fleet.agents().getLast();
        victim.kill();
        await(start, 115);
        victim.start();
        await(start, 160);
        compress(fleet, fleet.agents().getFirst());
        await(start, 200);
        requireData(prometheus);
        write(prometheus, fleet);
        load.stop();
      }
    }
  }

  private static List<String> addresses(Fleet fleet) {
    return Stream.concat(controllers(fleet).keySet().stream(), agents(fleet).keySet().stream())
        .toList();
  }

  private static Map<String, String> controllers(Fleet fleet) {
    return fleet.controllers().stream()
        .collect(Collectors.toMap(it -> it.address(Fleet.REST), Member::name));
  }

  private static Map<String, String> agents(Fleet fleet) {
    return fleet.agents().stream()
        .collect(Collectors.toMap(it -> it.address(Fleet.MANAGEMENT), Member::name));
  }

  /** Times are those of the pictures' axis, however busy the machine is. */
  private static void await(Instant start, int seconds) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(seconds + 10L))
        .until(() -> Instant.now().isAfter(start.plusSeconds(seconds)));
  }

  /** An agent that was never away has been scraped at most of the times that are drawn. */
  private static void requireData(Prometheus prometheus) {
    assertThat(prometheus.query("max(count_over_time(kvmesh_agent_epoch[10m]))").getFirst())
        .as("scrapes of an agent in time, of about %d", POINTS)
        .isGreaterThan(POINTS / 2.0);
  }

  private static void compress(Fleet fleet, Member agent) {
    StringWriter out = new StringWriter();
    int status =
        Kvmesh.commandLine()
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(out))
            .execute(
                "compress",
                "--url",
                "http://" + fleet.controller().address(Fleet.REST),
                agent.name());
    assertThat(status).as(out.toString()).isZero();
  }

  private static void write(Prometheus prometheus, Fleet fleet) throws Exception {
    Path folder = Files.createDirectories(Path.of(System.getProperty("kvmesh.pictures")));
    var look =
        new Dashboard.Look(
            Instant.now().minusSeconds(1), STEP, POINTS, WINDOW, agents(fleet), controllers(fleet));
    String label =
        "drawn from the panels' queries in a run of PicturesIT on a machine of %d cores, %s: 2"
                .formatted(
                    Runtime.getRuntime().availableProcessors(), LocalDate.now(ZoneOffset.UTC))
            + " controllers, 3 agents with "
            + CHUNKS
            + " chunks of 4 KiB each; agent-2 is killed and started again";
    for (Dashboard dashboard : Dashboard.all()) {
      String picture = dashboard.draw(prometheus, look, label);
      Files.writeString(folder.resolve(dashboard.name() + ".svg"), picture);
      assertThat(picture.length()).as(dashboard.name()).isLessThan(MAX_BYTES);
    }
  }
}
