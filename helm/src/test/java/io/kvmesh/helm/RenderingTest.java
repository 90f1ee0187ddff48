package io.kvmesh.helm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** What comes out of certain values. */
class RenderingTest {

  private static final long MIB = 1 << 20;

  @Test
  void minimal_isAsRecorded() throws IOException {
    String text =
        Chart.text("minimal", "agents.gpusPerNode=2")
            .replaceAll("kvmesh.key: .*", "kvmesh.key: (made up)")
            .replaceAll("(?m)^  (read|operate|admin|tokens): .*", "  $1: (made up)");
    Path copy = Path.of("target", "golden", "minimal.yaml");
    Files.createDirectories(copy.getParent());
    Files.writeString(copy, text);

    assertThat(text)
        .as("what is rendered now is in %s", copy.toAbsolutePath())
        .isEqualTo(Files.readString(Path.of("src", "test", "resources", "golden", "minimal.yaml")));
  }

  @Test
  void memory_ofAgents_isHeapAndChunksAndReserve() {
    for (JsonNode agent : Chart.containers(Chart.objects("production"), "agent")) {
      long chunks = mebibytes(64 * 1024 + 64) + MIB;
      assertThat(agent.at("/resources/limits/memory").asString())
          .isEqualTo(agent.at("/resources/requests/memory").asString())
          .isEqualTo((chunks + mebibytes((8 + 2 + 2) * 1024)) / MIB + "Mi");
      assertThat(agent.toString())
          .contains("-Xmx2048m", "memory.reserve-bytes=2147483648B")
          .contains("cache.capacity-bytes=68719476736B", "compressed-bytes=8589934592B");
    }
  }

  /** MEM-4: heap, chunks and direct memory leave 256 MiB of the limit to all else. */
  @ParameterizedTest
  @MethodSource("io.kvmesh.helm.Chart#examples")
  void memory_ofEachContainer_isMoreThanItsBoundsTogether(String example) {
    List<JsonNode> objects = Chart.objects(example);
    for (JsonNode agent : Chart.containers(objects, "agent")) {
      boolean apart = agent.at("/resources/limits").toString().contains("hugepages");
      long chunks = apart ? 0 : argument(agent, "cache.capacity-bytes");
      assertThat(option(agent, "-Xmx") + option(agent, "-XX:MaxDirectMemorySize=") + 256 + chunks)
          .isLessThanOrEqualTo(limitMebibytes(agent));
    }
    for (JsonNode controller : Chart.containers(objects, "controller")) {
      long limit = limitMebibytes(controller);
      long heap = limit * option(controller, "-XX:MaxRAMPercentage=") / 100;
      assertThat(heap + option(controller, "-XX:MaxDirectMemorySize=") + 256)
          .isLessThanOrEqualTo(limit);
    }
  }

  private static long option(JsonNode container, String name) {
    return number(container.toString(), name + "(\\d+)");
  }

  private static long argument(JsonNode container, String name) {
    return number(container.toString(), name + "=(\\d+)B") / MIB;
  }

  private static long limitMebibytes(JsonNode container) {
    String limit = container.at("/resources/limits/memory").asString();
    return number(limit, "(\\d+)") * (limit.endsWith("Gi") ? 1024 : 1);
  }

  private static long number(String text, String pattern) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertThat(matcher.find()).as("%s in %s", pattern, text).isTrue();
    return Long.parseLong(matcher.group(1));
  }

  @Test
  void hugePages_areAskedForBesideTheRest() {
    List<JsonNode> objects = Chart.objects("statefulset");

    JsonNode limits = Chart.containers(objects, "agent").getFirst().at("/resources/limits");
    assertThat(limits.path("hugepages-1Gi").asString()).isEqualTo(33 * 1024 + "Mi");
    assertThat(limits.path("memory").asString()).isEqualTo("2048Mi");
  }

  @Test
  void ranks_haveInstancesPortsAndNodesOfTheirOwn() {
    List<JsonNode> agents = Chart.containers(Chart.objects("production"), "agent");

    assertThat(agents).hasSize(8);
    IntStream.range(0, 8)
        .forEach(
            gpu ->
                assertThat(agents.get(gpu).path("args").toString())
                    .contains("instance-id=$(NODE_NAME)-" + gpu / 2)
                    .contains("kvmesh.rank=" + gpu % 2)
                    .contains("world-size=2", "numa-node=" + gpu / 4)
                    .contains("init-bind=tcp://0.0.0.0:" + (8200 + 20 * gpu))
                    .contains("engine.bind=tcp://127.0.0.1:" + (8210 + 20 * gpu))
                    .contains("server.port=" + (8215 + 20 * gpu)));
  }

  @Test
  void setting_ofTheUser_standsForTheCharts() {
    JsonNode agent =
        Chart.containers(
                Chart.objects("minimal", "agents.settings.kvmesh\\.model\\.dtype=float16"), "agent")
            .getFirst();

    assertThat(agent.path("args").toString()).containsOnlyOnce("kvmesh.model.dtype=float16");
  }

  @Test
  void trialRedis_mayUseLessThanItsLimit() {
    JsonNode redis =
        Chart.only(Chart.objects("trial"), "Deployment", "fleet-kvmesh-redis-trial")
            .at("/spec/template/spec/containers/0");

    assertThat(redis.path("args").toString()).contains("\"--maxmemory\",\"384mb\"");
    assertThat(redis.at("/resources/limits/memory").asString()).isEqualTo("512Mi");
  }

  @Test
  void monitoring_bringsAllDashboardsAndRules() throws IOException {
    List<JsonNode> objects = Chart.objects("production");

    assertThat(
            objects.stream()
                .filter(it -> isOf(it, "PrometheusRule"))
                .map(it -> it.at("/spec/groups")))
        .isNotEmpty()
        .allMatch(groups -> !groups.isEmpty());
    try (Stream<Path> dashboards = Files.list(Path.of("dashboards"))) {
      assertThat(objects.stream().filter(it -> isOf(it, "ConfigMap")))
          .hasSize((int) dashboards.count());
    }
  }

  @Test
  void agents_areToldWhereTheyAre_byLabelsOfTheirPods() {
    String agent =
        Chart.containers(
                Chart.objects("minimal", "agents.topology.rackLabel=example.com/rack"), "agent")
            .getFirst()
            .toString();

    assertThat(agent)
        .contains(
            "--kvmesh.topology.zone=$(TOPOLOGY_ZONE)", "--kvmesh.topology.rack=$(TOPOLOGY_RACK)")
        .contains("metadata.labels['topology.kubernetes.io/zone']")
        .contains("metadata.labels['example.com/rack']");
    assertThat(Chart.text("minimal", "agents.topology.zoneLabel="))
        .contains("--kvmesh.topology.host=$(NODE_NAME)")
        .doesNotContain("TOPOLOGY_");
  }

  @Test
  void scrapes_bringAToken_whereOneIsAskedFor() {
    List<JsonNode> monitors =
        Chart.objects("production", "security.rest.enabled=true").stream()
            .filter(it -> it.path("kind").asString().endsWith("Monitor"))
            .toList();

    assertThat(monitors).hasSize(2);
    for (JsonNode monitor : monitors) {
      Stream.of("endpoints", "podMetricsEndpoints")
          .flatMap(kind -> monitor.path("spec").path(kind).valueStream())
          .forEach(
              endpoint ->
                  assertThat(endpoint.at("/authorization/credentials/key").asString())
                      .isEqualTo("read"));
    }
  }

  private static boolean isOf(JsonNode object, String kind) {
    return object.path("kind").asString().equals(kind);
  }

  @Test
  void secrets_areMadeUpAnewWithoutACluster() {
    assertThat(Chart.text("trial")).isNotEqualTo(Chart.text("trial"));
  }

  @Test
  void password_isInNoArgument() {
    JsonNode controller = Chart.containers(Chart.objects("production"), "controller").getFirst();

    assertThat(controller.path("args").toString()).doesNotContain("password");
    assertThat(controller.path("env").toString())
        .contains("KVMESH_REDIS_PASSWORD")
        .contains("\"secretKeyRef\":{\"name\":\"kvmesh-redis\",\"key\":\"password\"}");
  }

  @Test
  void doors_ofLmcache_areClosedUnlessWanted() {
    assertThat(Chart.containers(Chart.objects("minimal"), "controller").toString())
        .contains("--kvmesh.zmq.pull-bind=\"", "--kvmesh.zmq.heartbeat-bind=\"");
    assertThat(Chart.containers(Chart.objects("lmcache"), "controller").toString())
        .contains("--kvmesh.zmq.pull-bind=tcp://0.0.0.0:8300\"");
  }

  @Test
  void engines_areFollowed_andReachable() {
    List<JsonNode> objects = Chart.objects("lmcache");

    assertThat(Chart.containers(objects, "controller").toString())
        .contains("--kvmesh.vllm.engines[1].rank=1\"")
        .contains("--kvmesh.vllm.engines[0].replay-endpoint=tcp://vllm-0.vllm:5657\"");
    assertThat(objects.toString()).contains("{\"port\":5557,", "{\"port\":5658,");
    assertThat(Chart.text("minimal")).doesNotContain("vllm", "5557");
  }

  @Test
  void sidecars_areIncludedByAnotherChart(@TempDir Path parent) throws IOException {
    Files.createDirectories(parent.resolve("templates"));
    Files.createDirectories(parent.resolve("charts"));
    Files.createSymbolicLink(parent.resolve("charts/kvmesh"), Chart.DIRECTORY);
    Files.writeString(
        parent.resolve("Chart.yaml"), "apiVersion: v2\nname: engines\nversion: 1.0.0\n");
    Files.copy(
        Path.of("src", "test", "resources", "engines.yaml"),
        parent.resolve("templates/engines.yaml"));
    Files.writeString(
        parent.resolve("values.yaml"),
        "kvmesh:\n" + Files.readString(Chart.example("sidecar")).indent(2));

    List<JsonNode> objects =
        Chart.parse(Chart.text(parent, Files.writeString(parent.resolve("none.yaml"), "{}")));

    assertThat(objects).allSatisfy(KubernetesModel::check);
    JsonNode engines = Chart.only(objects, "Deployment", "engines");
    assertThat(engines.at("/spec/template/metadata/labels/kvmesh.io~1agent-of").asString())
        .isEqualTo("fleet-kvmesh");
    JsonNode agent = engines.at("/spec/template/spec/initContainers/0");
    assertThat(agent.path("restartPolicy").asString()).isEqualTo("Always");
    assertThat(agent.path("args").toString()).contains("kvmesh.instance-id=$(POD_NAME)");
  }

  private static long mebibytes(long count) {
    return count * MIB;
  }

  @Test
  void traces_areMadeAndSentWhereTheValuesSay() {
    List<JsonNode> objects =
        Chart.objects(
            "minimal",
            "agents.hostNetwork=false",
            "tracing.enabled=true",
            "tracing.otlpEndpoint=http://collector:4318/v1/traces",
            "networkPolicy.tracesTo[0].podSelector.matchLabels.app=collector");

    for (String program : List.of("controller", "agent")) {
      assertThat(Chart.containers(objects, program).toString())
          .contains("--management.opentelemetry.enabled=true")
          .contains("--management.tracing.sampling.probability=0.1")
          .contains(
              "--management.opentelemetry.tracing.export.otlp.endpoint"
                  + "=http://collector:4318/v1/traces");
      JsonNode policy = Chart.only(objects, "NetworkPolicy", "fleet-kvmesh-" + program);
      assertThat(policy.at("/spec/egress").valueStream())
          .anyMatch(
              to ->
                  to.at("/ports/0/port").asInt() == 4318
                      && to.at("/to/0/podSelector/matchLabels/app").asString().equals("collector"));
    }
    assertThat(Chart.text("minimal")).doesNotContain("opentelemetry").doesNotContain("4318");
  }
}
