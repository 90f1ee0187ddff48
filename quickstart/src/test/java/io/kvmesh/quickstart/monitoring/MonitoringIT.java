package io.kvmesh.quickstart.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvmesh.quickstart.EngineLoad;
import io.kvmesh.quickstart.fleet.AgentSpec;
import io.kvmesh.quickstart.fleet.Fleet;
import io.kvmesh.quickstart.fleet.FleetSettings;
import io.kvmesh.quickstart.fleet.Http;
import io.kvmesh.quickstart.fleet.Modules;
import io.kvmesh.quickstart.fleet.WorkFolder;
import io.kvmesh.quickstart.options.Policy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every query of every panel, asked of a real Prometheus beside a fleet that is at work. */
@Tag("replay")
class MonitoringIT {

  private static final int PAGE_BYTES = 4 << 10;
  private static final int CHUNKS = 200;
  private static final String WINDOW = "30s";
  private static final Duration UNTIL_SEEN = Duration.ofMinutes(2);

  private final Http http = new Http();

  @Test
  void panelsOfAFleetAtWork_haveData(@TempDir Path folder) throws Exception {
    assumeTrue(Prometheus.isInstalled(), Prometheus.MISSING);
    List<AgentSpec> agents =
        Stream.of("agent-0", "agent-1")
            .map(name -> new AgentSpec(name, FleetSettings.MODEL, Policy.LRU, CHUNKS))
            .toList();
    FleetSettings settings = new FleetSettings(1, agents, PAGE_BYTES);
    try (Fleet fleet =
        Fleet.create(settings, Modules.ofThisBuild(), WorkFolder.create(folder), http)) {
      fleet.start();
      try (EngineLoad load = EngineLoad.start(fleet, http, PAGE_BYTES, 1);
          Prometheus prometheus = Prometheus.start(folder, addresses(fleet), Alerts.RULES)) {
        awaitLoadInTheMetrics(prometheus);
        askAllPanels(prometheus);
        assertThat(prometheus.query("ALERTS{alertstate=\"firing\"}"))
            .as("a healthy fleet")
            .isEmpty();
        load.stop();
      }
    }
  }

  private static List<String> addresses(Fleet fleet) {
    return Stream.concat(
            Stream.of(fleet.controller().address(Fleet.REST)),
            fleet.agents().stream().map(it -> it.address(Fleet.MANAGEMENT)))
        .toList();
  }

  /** What such a load causes for certain: else an empty or flat panel would be no fault. */
  private static void awaitLoadInTheMetrics(Prometheus prometheus) {
    await()
        .atMost(UNTIL_SEEN)
        .untilAsserted(
            () -> {
              for (String increase :
                  List.of(
                      "kvmesh_agent_engine_chunks_total{kind=\"chunk_local\"}",
                      "kvmesh_agent_engine_chunks_total{kind=\"chunk_peer\"}",
                      "kvmesh_agent_channel_bytes_total",
                      "kvmesh_agent_cache_removed_total{cause=\"evicted\"}",
                      "kvmesh_controller_operations_total",
                      "kvmesh_controller_visible_seconds_count",
                      "kvmesh_controller_lookups_seconds_count")) {
                assertThat(prometheus.query("sum(rate(%s[%s]))".formatted(increase, WINDOW)))
                    .as(increase)
                    .singleElement()
                    .satisfies(rate -> assertThat(rate).isPositive());
              }
            });
  }

  private static void askAllPanels(Prometheus prometheus) throws Exception {
    SoftAssertions softly = new SoftAssertions();
    for (Panel panel : Panel.all()) {
      for (String query : panel.queries()) {
        List<Double> values = prometheus.query(Panel.plain(query, WINDOW));
        if (panel.whenEmpty().isEmpty()) {
          softly.assertThat(values).as("%s: %s", panel, query).isNotEmpty();
        }
      }
    }
    softly.assertAll();
  }
}
