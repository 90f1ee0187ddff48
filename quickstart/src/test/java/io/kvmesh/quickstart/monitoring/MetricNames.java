package io.kvmesh.quickstart.monitoring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Names of metrics in texts: kvmesh's own, and those of the JVM and Spring Boot. */
final class MetricNames {

  private static final Pattern NAME = Pattern.compile("\\b(kvmesh|jvm|process|ssl)_[a-z0-9_]+");
  private static final Pattern PART_OF_HISTOGRAM = Pattern.compile("_(bucket|count|sum)$");
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `((kvmesh|jvm|process|ssl)_[a-z0-9_]+)` \\|");

  private MetricNames() {}

  /** Those of the README's tables, which are those of the code. */
  static Set<String> known() throws IOException {
    return ROW.matcher(Files.readString(Path.of("..", "README.md")))
        .results()
        .map(it -> it.group(1))
        .collect(Collectors.toSet());
  }

  /** Those that a text mentions, a part of a histogram by its histogram's name. */
  static Set<String> in(String text) {
    return NAME.matcher(text)
        .results()
        .map(MatchResult::group)
        .map(name -> name.endsWith("_") ? name.substring(0, name.length() - 1) : name)
        .map(name -> PART_OF_HISTOGRAM.matcher(name).replaceFirst(""))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
