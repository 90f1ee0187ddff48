package io.kvmesh.helm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** values.yaml, values.schema.json and README.md name the same values. */
class ValuesTest {

  private static final Pattern ENTRY = Pattern.compile("( *)([A-Za-z]+):(.*)");

  /** Values whose parts are Kubernetes' own or the user's. */
  private static final String FREE = "controller\\.resources\\..*|.*\\.probes\\.[a-z]+\\..*";

  @Test
  void schema_hasEachValueAndNoOther() throws IOException {
    JsonNode schema = JsonMapper.shared().readTree(Path.of("values.schema.json"));
    TreeSet<String> inSchema = new TreeSet<>();
    collect(schema, "", inSchema);
    inSchema.remove("global");
    JsonNode values = Chart.parse(Files.readString(Path.of("values.yaml"))).getFirst();

    TreeSet<String> inValues = new TreeSet<>();
    inSchema.stream().filter(it -> !at(values, it).isMissingNode()).forEach(inValues::add);
    comments().keySet().stream().filter(it -> !it.matches(FREE)).forEach(inValues::add);

    assertThat(inSchema).isEqualTo(inValues);
  }

  /** Paths of the leaves. Fails at an object that lets others in. */
  private static void collect(JsonNode schema, String path, Set<String> leaves) {
    JsonNode properties = schema.path("properties");
    if (properties.isMissingNode()) {
      leaves.add(path.substring(1));
      return;
    }
    assertThat(schema.path("additionalProperties").asBoolean(true)).as(path).isFalse();
    if (path.endsWith(".probes")) {
      properties.propertyNames().forEach(name -> leaves.add(path.substring(1) + "." + name));
      return;
    }
    if (path.equals(".controller.resources")) {
      leaves.add(path.substring(1));
      return;
    }
    properties.properties().forEach(it -> collect(it.getValue(), path + "." + it.getKey(), leaves));
  }

  private static JsonNode at(JsonNode values, String path) {
    return values.at("/" + path.replace('.', '/'));
  }

  @Test
  void readme_hasTheCommentOfEachValue() throws IOException {
    JsonNode values = Chart.parse(Files.readString(Path.of("values.yaml"))).getFirst();
    List<String> rows = new ArrayList<>();
    comments()
        .forEach(
            (path, comment) -> {
              assertThat(comment).as(path + " has a comment").isNotBlank();
              rows.add("| `%s` | %s | %s |".formatted(path, text(at(values, path)), comment));
            });
    Path copy = Path.of("target", "readme", "values.md");
    Files.createDirectories(copy.getParent());
    Files.write(copy, rows);
    List<String> readme = Files.readAllLines(Path.of("README.md"));
    int begin = readme.indexOf("<!-- table: values -->") + 3;
    int end = begin + readme.subList(begin, readme.size()).indexOf("<!-- end -->");

    assertThat(readme.subList(begin, end))
        .as("README.md, table 'values'; what it must say is in %s", copy.toAbsolutePath())
        .containsExactlyElementsOf(rows);
  }

  private static String text(JsonNode value) {
    if (value.isString()) {
      return value.asString().isEmpty() ? "" : "`" + value.asString() + "`";
    }
    return "`" + value + "`";
  }

  /** What stands above each value that isn't made of further ones with comments. */
  private static Map<String, String> comments() throws IOException {
    Map<String, String> comments = new TreeMap<>();
    List<String> path = new ArrayList<>();
    StringBuilder comment = new StringBuilder();
    int leafIndent = Integer.MAX_VALUE;
    for (String line : Files.readAllLines(Path.of("values.yaml"))) {
      Matcher entry = ENTRY.matcher(line);
      if (line.strip().startsWith("# ")) {
        comment.append(comment.isEmpty() ? "" : " ").append(line.strip().substring(2));
      } else if (line.isBlank()) {
        comment.setLength(0);
      } else if (entry.matches() && entry.group(1).length() <= leafIndent) {
        int indent = entry.group(1).length();
        path.subList(indent / 2, path.size()).clear();
        path.add(entry.group(2));
        boolean isLeaf = !comment.isEmpty() || !entry.group(3).isBlank();
        leafIndent = isLeaf ? indent : Integer.MAX_VALUE;
        if (isLeaf) {
          comments.put(String.join(".", path), comment.toString());
        }
        comment.setLength(0);
      }
    }
    return comments;
  }
}
