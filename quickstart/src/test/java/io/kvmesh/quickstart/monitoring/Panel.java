package io.kvmesh.quickstart.monitoring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A panel of a shipped dashboard.
 *
 * @param whenEmpty what it says when its queries give nothing; empty if they always give something
 * @param queries in PromQL, with the dashboard's variables in them
 */
record Panel(
    String dashboard,
    String title,
    String unit,
    String description,
    String whenEmpty,
    List<String> queries) {

  /** Where the dashboards are. */
  static final Path FOLDER = Path.of("..", "helm", "dashboards");

  /** Of all dashboards, without the rows that only group others. */
  static List<Panel> all() throws IOException {
    List<Panel> panels = new ArrayList<>();
    try (Stream<Path> files = Files.list(FOLDER)) {
      files.sorted().forEach(file -> panels.addAll(of(file)));
    }
    return panels;
  }

  /** The one with this title. */
  static Panel of(String dashboard, String title) throws IOException {
    return all().stream()
        .filter(it -> it.dashboard().equals(dashboard) && it.title().equals(title))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no panel " + dashboard + " / " + title));
  }

  private static List<Panel> of(Path file) {
    List<Panel> panels = new ArrayList<>();
    JsonNode dashboard = JsonMapper.shared().readTree(read(file));
    for (JsonNode panel : dashboard.path("panels")) {
      if (!panel.path("type").asString().equals("row")) {
        panels.add(of(dashboard.path("title").asString(), panel));
      }
    }
    return panels;
  }

  private static Panel of(String dashboard, JsonNode panel) {
    JsonNode defaults = panel.path("fieldConfig").path("defaults");
    return new Panel(
        dashboard,
        panel.path("title").asString(""),
        defaults.path("unit").asString(""),
        panel.path("description").asString(""),
        defaults.path("noValue").asString(""),
        panel.path("targets").valueStream().map(it -> it.path("expr").asString()).toList());
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A query as Prometheus takes it: all agents and controllers, rates over {@code window}. */
  static String plain(String query, String window) {
    return plain(query, window, ".*", ".*");
  }

  /** The same for agents and controllers whose addresses match these. */
  static String plain(String query, String window, String agents, String controllers) {
    return query
        .replace("$__rate_interval", window)
        .replace("$agent", agents)
        .replace("$controller", controllers)
        .replace("$prefill", "8000");
  }

  @Override
  public String toString() {
    return dashboard + " / " + title;
  }
}
