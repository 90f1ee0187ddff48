package io.kvmesh.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The tables of the README and of {@code docs} that must say what the code says. Each stands
 * between the comments {@code table: NAME} and {@code end}, below a head of two lines.
 */
final class Readme {

  private static final Path FILE = Path.of("..", "README.md");
  private static final Path DOCS = Path.of("..", "docs");
  private static final Path METADATA =
      Path.of("target", "classes", "META-INF", "spring-configuration-metadata.json");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

  private Readme() {}

  /** The table's rows. */
  static List<String> rows(String table) throws IOException {
    List<String> lines = lines();
    int begin = lines.indexOf("<!-- table: " + table + " -->");
    assertThat(begin).as("README.md or docs/*.md has a table '%s'", table).isNotNegative();
    List<String> rest = lines.subList(begin + 3, lines.size());
    return rest.subList(0, rest.indexOf("<!-- end -->"));
  }

  private static List<String> lines() throws IOException {
    List<String> lines = new ArrayList<>(Files.readAllLines(FILE));
    try (DirectoryStream<Path> docs = Files.newDirectoryStream(DOCS, "*.md")) {
      for (Path doc : docs) {
        lines.addAll(Files.readAllLines(doc));
      }
    }
    return lines;
  }

  /** Fails unless the table has these rows, which are left in a file to be copied. */
  static void requireRows(String table, List<String> rows) throws IOException {
    Path copy = Path.of("target", "readme", table + ".md");
    Files.createDirectories(copy.getParent());
    Files.write(copy, rows);
    assertThat(rows(table))
        .as("table '%s'; what the code says is in %s", table, copy.toAbsolutePath())
        .containsExactlyElementsOf(rows);
  }

  /** A row for each setting {@code kvmesh.*}: name, default, what it is. */
  static List<String> settings() throws IOException {
    List<String> rows = new ArrayList<>();
    for (JsonNode setting : JsonMapper.shared().readTree(METADATA).path("properties")) {
      String name = setting.path("name").asString();
      if (name.startsWith("kvmesh.")) {
        String value = setting.path("defaultValue").asString("");
        String description = setting.path("description").asString("");
        assertThat(description).as(name + " is described").isNotBlank();
        rows.add(row("`" + name + "`", value.isEmpty() ? "" : "`" + value + "`", description));
      }
    }
    return rows;
  }

  /** A row for each metric in a scrape: name, type, labels with their values, what it is. */
  static List<String> metrics(String scrape) {
    Map<String, String> helps = new HashMap<>();
    Map<String, String> types = new TreeMap<>();
    Map<String, Map<String, TreeSet<String>>> labels = new HashMap<>();
    String metric = "";
    for (String line : scrape.lines().toList()) {
      String[] words = line.split(" ", 4);
      if (line.startsWith("# HELP ")) {
        helps.put(words[2], words[3]);
      } else if (line.startsWith("# TYPE ")) {
        metric = words[2];
        types.put(metric, words[3]);
        labels.put(metric, new TreeMap<>());
      } else {
        Map<String, TreeSet<String>> known = labels.getOrDefault(metric, new TreeMap<>());
        LABEL
            .matcher(line)
            .results()
            .filter(label -> !label.group(1).equals("le"))
            .forEach(
                label ->
                    known
                        .computeIfAbsent(label.group(1), key -> new TreeSet<>())
                        .add(label.group(2)));
      }
    }
    List<String> rows = new ArrayList<>();
    types.forEach(
        (name, type) -> {
          String help = helps.getOrDefault(name, "");
          assertThat(help).as(name + " has a help text").isNotBlank();
          rows.add(row("`" + name + "`", type, text(labels.getOrDefault(name, Map.of())), help));
        });
    return rows;
  }

  private static String text(Map<String, ? extends Set<String>> labels) {
    return labels.entrySet().stream()
        .map(label -> "`" + label.getKey() + "`: `" + String.join("`, `", label.getValue()) + "`")
        .collect(Collectors.joining("; "));
  }

  static String row(String... cells) {
    return "| " + String.join(" | ", cells) + " |";
  }
}
