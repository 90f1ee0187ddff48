package io.kvmesh.controller.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.DownReason;
import io.kvmesh.common.wire.event.WorkerDown;
import io.kvmesh.embedded.EmbeddedKafka;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What operators look at: metrics stay few and true, nothing secret is shown. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class HygieneIT {

  private static final String CLUSTER = "hygiene";

  @TempDir private static Path dir;
  private static EmbeddedKafka kafka;
  private static RunningController controller;

  @BeforeAll
  static void start() throws Exception {
    kafka = EmbeddedKafka.start(dir, 0);
    controller =
        RunningController.start(
            "--kvmesh.cluster=" + CLUSTER,
            "--kvmesh.kafka.bootstrap-servers=" + kafka.bootstrapServers());
    await().atMost(RunningController.WAIT).until(controller::isReady);
  }

  @AfterAll
  static void stop() {
    controller.close();
    kafka.close();
  }

  private static ScriptedAgent agent(String instance) {
    return new ScriptedAgent(kafka.bootstrapServers(), CLUSTER, new WorkerId(instance, 0), 1);
  }

  private static long series() throws Exception {
    return controller
        .text("/actuator/prometheus")
        .lines()
        .filter(line -> !line.startsWith("#"))
        .count();
  }

  @Test
  void randomIdsAndKeys_leaveNoSeries() throws Exception {
    Random random = new Random(11);
    long before = series();
    for (int i = 0; i < 2_500; i++) {
      String id = Long.toHexString(random.nextLong());
      controller.status("/api/v1/workers/" + id + "/" + random.nextInt(9));
      controller.status("/api/v1/workers?instanceId=" + id);
      controller.status("/nothing/" + id);
      controller.post("/api/v1/holders", "{\"hashes\":[%d,%d]}".formatted(random.nextLong(), i));
    }
    try (ScriptedAgent agent = agent("one")) {
      for (int i = 0; i < 100; i++) {
        try (ScriptedAgent other = agent("leaving-" + random.nextLong())) {
          other.up();
          controller.applied(other.id(), other.epoch(), 0);
          other.write(
              new WorkerDown(
                  other.id().instanceId(), 0, other.epoch(), DownReason.DEREGISTERED, 0));
        }
      }
      agent.up();
    }

    assertThat(series() - before).isLessThan(100);
  }

  @Test
  void counters_standStillWhileNothingHappens() throws Exception {
    try (ScriptedAgent agent = agent("counted")) {
      agent.up();
      double operations = metric("kvmesh_controller_operations_total{view=\"memory\"}");
      double hits = metric("kvmesh_controller_lookups_seconds_count{outcome=\"hit\"}");
      double misses = metric("kvmesh_controller_lookups_seconds_count{outcome=\"miss\"}");
      agent.admit(1, 2, 3, 4, 5, 6, 7);
      agent.evict(6, 7);
      controller.applied(agent.id(), agent.epoch(), 9);
      for (int hash : new int[] {1, 2, 3, 6, 7}) {
        controller.post(
            "/api/v1/lookup",
            "{\"hashes\":[%d],\"keyspace\":\"%s\"}".formatted(hash, agent.keyspace()));
      }

      for (int scrape = 0; scrape < 10; scrape++) {
        assertThat(metric("kvmesh_controller_operations_total{view=\"memory\"}") - operations)
            .isEqualTo(9);
        assertThat(metric("kvmesh_controller_lookups_seconds_count{outcome=\"hit\"}") - hits)
            .isEqualTo(3);
        assertThat(metric("kvmesh_controller_lookups_seconds_count{outcome=\"miss\"}") - misses)
            .isEqualTo(2);
      }
    }
  }

  private static double metric(String name) throws Exception {
    return controller
        .text("/actuator/prometheus")
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void sensitiveEndpoints_areNotThere() throws Exception {
    for (String path :
        new String[] {
          "heapdump",
          "env",
          "configprops",
          "threaddump",
          "loggers",
          "shutdown",
          "beans",
          "mappings",
          "conditions",
          "httpexchanges",
          "logfile",
          "caches",
          "scheduledtasks"
        }) {
      assertThat(controller.status("/actuator/" + path)).as(path).isEqualTo(404);
    }
    assertThat(controller.status("/actuator/health")).isEqualTo(200);
    assertThat(controller.status("/actuator/prometheus")).isEqualTo(200);
    assertThat(controller.status("/v3/api-docs")).isEqualTo(200);
    assertThat(controller.text("/v3/api-docs")).doesNotContain("/actuator");
  }

  @Test
  void liveness_asksNobody() throws Exception {
    assertThat(controller.text("/actuator/health/liveness"))
        .contains("livenessState")
        .doesNotContain("kafka", "redis", "index", "diskSpace");
    assertThat(controller.text("/actuator/health/readiness")).contains("index");
  }
}
