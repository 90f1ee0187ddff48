package io.kvmesh.quickstart.monitoring;

import static org.awaitility.Awaitility.await;

import io.kvmesh.common.process.LoopbackPorts;
import io.kvmesh.quickstart.fleet.Http;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A real Prometheus on a port of its own. Killed with {@link #close}. */
final class Prometheus implements AutoCloseable {

  /** Why tests that need it are skipped. */
  static final String MISSING = "skipped, needs prometheus and promtool (Debian: prometheus)";

  private static final Path BIN = Path.of("/usr/bin");
  private static final Duration START = Duration.ofSeconds(60);

  private final Process process;
  private final String address;
  private final Path log;
  private final Http http = new Http();

  private Prometheus(Process process, String address, Path log) {
    this.process = process;
    this.address = address;
    this.log = log;
  }

  static boolean isInstalled() {
    return Files.isExecutable(BIN.resolve("prometheus"))
        && Files.isExecutable(BIN.resolve("promtool"));
  }

  /** A command line of one of its programs. */
  static List<String> command(String program, String... arguments) {
    List<String> command = new ArrayList<>(List.of(BIN.resolve(program).toString()));
    command.addAll(List.of(arguments));
    return command;
  }

  /**
   * Starts one that scrapes once a second, and waits until it is ready.
   *
   * @param targets addresses that serve {@code /actuator/prometheus}
   * @param rules a file of rules
   */
  static Prometheus start(Path folder, List<String> targets, Path rules) throws IOException {
    return start(folder, targets, rules, Duration.ofSeconds(1));
  }

  /** The same, with another time from one scrape to the next; a scrape may take as long. */
  static Prometheus start(Path folder, List<String> targets, Path rules, Duration interval)
      throws IOException {
    Path settings =
        Files.writeString(folder.resolve("prometheus.yml"), settings(targets, rules, interval));
    Path log = folder.resolve("prometheus.log");
    String address = "127.0.0.1:" + LoopbackPorts.free();
    Process process =
        new ProcessBuilder(
                command(
                    "prometheus",
                    "--config.file=" + settings,
                    "--storage.tsdb.path=" + folder.resolve("prometheus"),
                    "--web.listen-address=" + address))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    Prometheus prometheus = new Prometheus(process, address, log);
    try {
      await().atMost(START).until(() -> prometheus.get("/api/v1/targets") != null);
      return prometheus;
    } catch (ConditionTimeoutException e) {
      prometheus.close();
      throw new AssertionError("Prometheus isn't ready\n" + prometheus.log(), e);
    }
  }

  private static String settings(List<String> targets, Path rules, Duration interval) {
    return """
    global: {scrape_interval: %1$ds, evaluation_interval: %1$ds}
    rule_files: ['%2$s']
    scrape_configs:
      - job_name: kvmesh
        metrics_path: /actuator/prometheus
        static_configs: [{targets: [%3$s]}]
    """
        .formatted(
            interval.toSeconds(),
            rules.toAbsolutePath(),
            targets.stream().map(it -> "'" + it + "'").collect(Collectors.joining(", ")));
  }

  /** The values that a query gives now. Fails if Prometheus refuses it. */
  List<Double> query(String query) {
    String path = "/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8);
    JsonNode answer = get(path);
    if (answer == null) {
      throw new AssertionError("Prometheus refuses " + query + "\n" + log());
    }
    return answer
        .path("data")
        .path("result")
        .valueStream()
        .map(it -> Double.valueOf(it.path("value").path(1).asString().replace("Inf", "Infinity")))
        .toList();
  }

  /**
   * What one series of an answer has been.
   *
   * @param values at the times that were asked for; NaN where there was none
   */
  record Course(Map<String, String> labels, List<Double> values) {}

  /**
   * The course of what a query gives.
   *
   * @param end the last time
   * @param step from each time to the next, in whole seconds
   * @param times number of them
   */
  List<Course> courses(String query, Instant end, Duration step, int times) {
    Instant start = end.minus(step.multipliedBy(times - 1L));
    String path =
        "/api/v1/query_range?query=%s&start=%d&end=%d&step=%d"
            .formatted(
                URLEncoder.encode(query, StandardCharsets.UTF_8),
                start.getEpochSecond(),
                end.getEpochSecond(),
                step.toSeconds());
    JsonNode answer = get(path);
    if (answer == null) {
      throw new AssertionError("Prometheus refuses " + query + "\n" + log());
    }
    return answer
        .path("data")
        .path("result")
        .valueStream()
        .map(it -> course(it, start.getEpochSecond(), step.toSeconds(), times))
        .toList();
  }

  private static Course course(JsonNode series, long start, long step, int times) {
    Map<String, String> labels = new TreeMap<>();
    series
        .path("metric")
        .properties()
        .forEach(it -> labels.put(it.getKey(), it.getValue().asString()));
    List<Double> values = new ArrayList<>(Collections.nCopies(times, Double.NaN));
    for (JsonNode value : series.path("values")) {
      values.set(
          Math.toIntExact((value.path(0).asLong() - start) / step),
          Double.valueOf(value.path(1).asString().replace("Inf", "Infinity")));
    }
    return new Course(labels, values);
  }

  /**
   * An alert that fires now.
   *
   * @param labels its name aside
   * @param runbook where it is explained
   */
  record Firing(String name, Map<String, String> labels, String runbook) {}

  /** All alerts that fire now. */
  List<Firing> firing() {
    JsonNode answer = get("/api/v1/alerts");
    if (answer == null) {
      throw new AssertionError("Prometheus tells no alerts\n" + log());
    }
    return answer
        .path("data")
        .path("alerts")
        .valueStream()
        .filter(it -> it.path("state").asString().equals("firing"))
        .map(Prometheus::firing)
        .toList();
  }

  private static Firing firing(JsonNode alert) {
    Map<String, String> labels = new TreeMap<>();
    alert
        .path("labels")
        .properties()
        .forEach(it -> labels.put(it.getKey(), it.getValue().asString()));
    String name = String.valueOf(labels.remove("alertname"));
    return new Firing(name, labels, alert.path("annotations").path("runbook").asString(""));
  }

  private @Nullable JsonNode get(String path) {
    try {
      return http.get(address, path).orElse(null);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  private String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
