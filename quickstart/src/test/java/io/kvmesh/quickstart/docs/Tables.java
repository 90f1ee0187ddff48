package io.kvmesh.quickstart.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The tables that other tests compare with the code, in both directions: what is in them exists,
 * and what exists is in them.
 */
record Tables(List<Document> documents) {

  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final Pattern LABEL = Pattern.compile("`(\\w+)`(?:: ((?:`[^`]*`(?:, )?)+))?");

  /** Full names of all settings of agents and controllers. */
  Set<String> settings() {
    Set<String> settings = new TreeSet<>();
    settings.addAll(firstCells("agent-settings"));
    settings.addAll(firstCells("controller-settings"));
    firstCells("engine-settings").forEach(it -> settings.add("kvmesh.vllm.engines[N]." + it));
    return settings;
  }

  /** Metrics, each with its labels and their values; a label without values has any. */
  Map<String, Map<String, Set<String>>> metrics() {
    Map<String, Map<String, Set<String>>> metrics = new TreeMap<>();
    for (String table : List.of("agent-metrics", "controller-metrics")) {
      for (String row : rows(table)) {
        String[] cells = row.split(" \\| ", -1);
        metrics.put(code(cells[0]).getFirst(), labels(cells[2]));
      }
    }
    return metrics;
  }

  private static Map<String, Set<String>> labels(String cell) {
    Map<String, Set<String>> labels = new TreeMap<>();
    for (String label : cell.split(";", -1)) {
      var matcher = LABEL.matcher(label.strip());
      if (matcher.matches()) {
        String values = matcher.group(2);
        labels.put(matcher.group(1), values == null ? Set.of() : new HashSet<>(code(values)));
      }
    }
    return labels;
  }

  /** REST resources of the controller, as {@code GET /path/{variable}}. */
  Set<String> resources() {
    return firstCells("rest");
  }

  /** Values of the chart, each with its default. */
  Map<String, String> values() {
    return rows("values").stream()
        .collect(
            Collectors.toMap(
                row -> code(row).getFirst(), row -> row.split(" \\| ", -1)[1].replace("`", "")));
  }

  private Set<String> firstCells(String table) {
    return rows(table).stream().map(row -> code(row).getFirst()).collect(Collectors.toSet());
  }

  private List<String> rows(String table) {
    List<String> rows = new ArrayList<>();
    documents.forEach(document -> rows.addAll(document.rows(table)));
    assertThat(rows).as("rows of the table '%s'", table).isNotEmpty();
    return rows;
  }

  private static List<String> code(String text) {
    return CODE.matcher(text).results().map(it -> it.group(1)).toList();
  }
}
