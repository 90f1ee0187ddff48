package io.kvmesh.quickstart.docs;

import io.kvmesh.quickstart.docs.Document.Line;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Settings and metrics of agents and controllers, and values of the chart. */
final class Programs {

  private static final Pattern SETTING =
      Pattern.compile(
          "(?<![\\w./])kvmesh\\.[a-z][a-z0-9-]*(?:\\[\\w+])?(?:\\.(?:[a-z0-9-]+|\\*))*");
  private static final Pattern VARIABLE = Pattern.compile("(?<!\\w)KVMESH_[A-Z0-9_]+");
  private static final Pattern METRIC = Pattern.compile("kvmesh_[a-z0-9_]*(\\{[^}]*})?");
  private static final Pattern MATCHER = Pattern.compile("(\\w+)(?:=|!=|=~|!~)\"([^\"]*)\"");
  private static final Pattern PART_OF_HISTOGRAM = Pattern.compile("_(bucket|count|sum)$");
  private static final Pattern VALUE =
      Pattern.compile("(?<![\\w./:-])[a-z][A-Za-z]*(?:\\.[A-Za-z][A-Za-z0-9]*)+");

  /** The default names of topic and group, files, and a property of tests. */
  private static final Set<String> NO_SETTINGS =
      Set.of("kvmesh.events", "kvmesh.index", "kvmesh.key", "kvmesh.yml", "kvmesh.test.soak");

  /** Kafka's own names, and files, that begin like a value of the chart. */
  private static final Pattern NO_VALUES = Pattern.compile("security\\.protocol|.*\\.ya?ml");

  private final Tables tables;
  private final Set<String> variables = new TreeSet<>();

  Programs(Tables tables) throws IOException {
    this.tables = tables;
    variables.addAll(Sources.variables());
    tables.settings().forEach(it -> variables.add(it.toUpperCase(Locale.ROOT).replace('.', '_')));
  }

  void settings(Document document, Line line, Faults faults) {
    Set<String> known = tables.settings();
    names(SETTING, line)
        .filter(name -> !name.contains(".example."))
        .map(name -> name.replaceFirst("\\[\\w+]", "[N]"))
        .filter(name -> !NO_SETTINGS.contains(name) && !exists(name, known))
        .forEach(name -> faults.unknown(document, line, "setting", name, known));
    names(VARIABLE, line)
        .filter(name -> variables.stream().noneMatch(it -> plain(it).equals(plain(name))))
        .forEach(name -> faults.unknown(document, line, "variable", name, variables));
  }

  private static boolean exists(String name, Set<String> known) {
    if (name.endsWith(".*")) {
      String begin = name.substring(0, name.length() - 1);
      return known.stream().anyMatch(it -> it.startsWith(begin));
    }
    return known.contains(name);
  }

  /** Variables may be written with and without what is a dash in the setting. */
  private static String plain(String variable) {
    return variable.replaceAll("[^A-Z0-9]", "");
  }

  void metrics(Document document, Line line, Faults faults) {
    Map<String, Map<String, Set<String>>> known = tables.metrics();
    for (MatchResult found : METRIC.matcher(line.text()).results().toList()) {
      String name = found.group().replaceFirst("\\{.*", "");
      String whole = PART_OF_HISTOGRAM.matcher(name).replaceFirst("");
      Map<String, Set<String>> labels = known.getOrDefault(name, known.get(whole));
      if (labels != null) {
        labels(document, line, found, labels, faults);
      } else if (!name.endsWith("_")
          || known.keySet().stream().noneMatch(it -> it.startsWith(name))) {
        faults.unknown(document, line, "metric", name, known.keySet());
      }
    }
  }

  private static void labels(
      Document document,
      Line line,
      MatchResult metric,
      Map<String, Set<String>> known,
      Faults faults) {
    for (MatchResult matcher : MATCHER.matcher(metric.group()).results().toList()) {
      Set<String> values = known.get(matcher.group(1));
      if (values == null) {
        String what = "label of " + metric.group();
        faults.unknown(document, line, what, matcher.group(1), known.keySet());
      } else if (!values.containsAll(Arrays.asList(matcher.group(2).split("\\|", -1)))) {
        String what = "value of " + metric.group();
        faults.unknown(document, line, what, matcher.group(2), values);
      }
    }
  }

  void values(Document document, Line line, Faults faults) {
    Map<String, String> known = tables.values();
    Set<String> roots = new HashSet<>();
    known.keySet().forEach(it -> roots.add(it.replaceFirst("\\..*", "")));
    names(VALUE, line)
        .filter(name -> roots.contains(name.replaceFirst("\\..*", "")))
        .filter(name -> !NO_VALUES.matcher(name).matches() && !isValue(name, known))
        .forEach(
            name -> faults.unknown(document, line, "value of the chart", name, known.keySet()));
  }

  /** Whether it is one, has others below it, or is in one that is the user's. */
  private static boolean isValue(String name, Map<String, String> known) {
    return known.entrySet().stream()
        .anyMatch(
            it ->
                it.getKey().equals(name)
                    || it.getKey().startsWith(name + ".")
                    || (name.startsWith(it.getKey() + ".") && it.getValue().startsWith("{")));
  }

  private static Stream<String> names(Pattern pattern, Line line) {
    return pattern.matcher(line.text()).results().map(MatchResult::group);
  }
}
