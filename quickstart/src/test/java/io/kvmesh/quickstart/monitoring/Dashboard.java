package io.kvmesh.quickstart.monitoring;

import io.kvmesh.quickstart.picture.Picture;
import io.kvmesh.quickstart.picture.Series;
import io.kvmesh.quickstart.picture.Tile;
import io.kvmesh.quickstart.picture.Unit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A shipped dashboard as it looks beside a running Prometheus.
 *
 * @param name of its file, without what comes after the point
 */
record Dashboard(String name, JsonNode json) {

  private static final Pattern LABEL = Pattern.compile("\\{\\{(\\w+)}}");

  /** All, by name. */
  static List<Dashboard> all() throws IOException {
    try (Stream<Path> files = Files.list(Panel.FOLDER)) {
      List<Dashboard> all = new ArrayList<>();
      for (Path file : files.sorted().toList()) {
        String name = file.getFileName().toString().replace(".json", "");
        all.add(new Dashboard(name, JsonMapper.shared().readTree(Files.readString(file))));
      }
      return all;
    }
  }

  /**
   * When and how it is looked at.
   *
   * @param step between two points
   * @param window of rates
   * @param agents their names by their addresses
   * @param controllers the same of them
   */
  record Look(
      Instant end,
      Duration step,
      int points,
      String window,
      Map<String, String> agents,
      Map<String, String> controllers) {

    private String plain(String query) {
      return Panel.plain(
          query, window, String.join("|", agents.keySet()), String.join("|", controllers.keySet()));
    }

    private String name(String value) {
      return agents.getOrDefault(value, controllers.getOrDefault(value, value));
    }
  }

  /** An SVG of it, with {@code label} below its title. */
  String draw(Prometheus prometheus, Look look, String label) {
    List<Tile> tiles =
        json.path("panels").valueStream().map(it -> tile(it, prometheus, look)).toList();
    return Picture.of(
        json.path("title").asString(), label, tiles, look.step().multipliedBy(look.points() - 1L));
  }

  private static Tile tile(JsonNode panel, Prometheus prometheus, Look look) {
    JsonNode defaults = panel.path("fieldConfig").path("defaults");
    return new Tile(
        panel.path("title").asString(),
        kind(panel.path("type").asString(), defaults),
        place(panel.path("gridPos")),
        Unit.of(defaults.path("unit").asString("none")),
        defaults.path("noValue").asString("no data"),
        series(panel, prometheus, look));
  }

  private static Tile.Place place(JsonNode grid) {
    return new Tile.Place(
        grid.path("x").asInt(),
        grid.path("y").asInt(),
        grid.path("w").asInt(),
        grid.path("h").asInt());
  }

  private static Tile.Kind kind(String type, JsonNode defaults) {
    return switch (type) {
      case "row" -> new Tile.Heading();
      case "stat" ->
          new Tile.Figure(
              defaults
                  .path("thresholds")
                  .path("steps")
                  .valueStream()
                  .map(Dashboard::step)
                  .toList());
      case "timeseries" ->
          new Tile.Chart(
              defaults.at("/custom/stacking/mode").asString("").equals("normal"),
              defaults.path("max").asDouble(Double.NaN));
      default -> throw new IllegalArgumentException("no such kind of panel: " + type);
    };
  }

  private static Tile.Step step(JsonNode step) {
    return new Tile.Step(
        step.path("value").asDouble(Double.NEGATIVE_INFINITY), step.path("color").asString());
  }

  private static List<Series> series(JsonNode panel, Prometheus prometheus, Look look) {
    List<Series> all = new ArrayList<>();
    for (JsonNode target : panel.path("targets")) {
      String query = look.plain(target.path("expr").asString());
      String legend = target.path("legendFormat").asString();
      prometheus.courses(query, look.end(), look.step(), look.points()).stream()
          .map(it -> new Series(name(legend, it.labels(), look), it.values()))
          .forEach(all::add);
    }
    return all;
  }

  private static String name(String legend, Map<String, String> labels, Look look) {
    return LABEL.matcher(legend).replaceAll(it -> look.name(labels.getOrDefault(it.group(1), "")));
  }
}
