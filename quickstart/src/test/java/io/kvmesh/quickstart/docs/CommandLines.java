package io.kvmesh.quickstart.docs;

import io.kvmesh.cli.Kvmesh;
import io.kvmesh.quickstart.docs.Document.Line;
import io.kvmesh.quickstart.options.CommandLine;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Commands that a reader may type: {@code kvmesh}, and {@code mvn} with what it starts. */
final class CommandLines {

  private static final Pattern KVMESH =
      Pattern.compile("(?:^|[/(] ?|[;|&] |\\$ )kvmesh ((?:[^|&;)\"']|\"[^\"]*\"|'[^']*')*)");
  private static final Pattern OPTION = Pattern.compile("(?<![\\w-])--?[a-z][a-z-]*");
  private static final Pattern PROFILE = Pattern.compile(" -P(\\w+)");
  private static final Pattern MODULE = Pattern.compile(" -pl ([\\w,-]+)");
  private static final Pattern PROPERTY = Pattern.compile(" -D([\\w.-]+)");
  private static final Pattern RUN =
      Pattern.compile("-pl (\\w+) .*-Dspring-boot\\.run\\.arguments=[\"']?([^\"']*)");

  /** Properties of Maven's plugins and of our tests that our POMs don't name. */
  private static final Set<String> OF_PLUGINS =
      Set.of(
          "skipTests",
          "test",
          "it.test",
          "surefire.failIfNoSpecifiedTests",
          "failsafe.failIfNoSpecifiedTests",
          "spring-boot.run.arguments",
          "kvmesh.pictures");

  private final Map<String, picocli.CommandLine> commands = Kvmesh.commandLine().getSubcommands();
  private final Set<String> profiles = Sources.profiles();
  private final Set<String> modules = Sources.modules();
  private final Set<String> benchmarks = Sources.benchmarks();
  private final String poms = Sources.poms();

  CommandLines() throws IOException {}

  void kvmesh(Document document, Line line, Faults faults) {
    for (MatchResult found : KVMESH.matcher(line.text()).results().toList()) {
      List<String> words = Arrays.asList(found.group(1).strip().split("\\s+", -1));
      picocli.CommandLine command = commands.get(words.getFirst());
      if (command != null && !command.getSubcommands().isEmpty()) {
        String second = words.size() < 2 ? "" : words.get(1);
        if (!command.getSubcommands().containsKey(second)) {
          faults.unknown(
              document,
              line,
              "command of kvmesh " + words.getFirst(),
              second,
              command.getSubcommands().keySet());
          continue;
        }
        command = command.getSubcommands().get(second);
      }
      if (command != null) {
        Set<String> known = command.getCommandSpec().optionsMap().keySet();
        OPTION
            .matcher(found.group(1))
            .results()
            .map(MatchResult::group)
            .filter(option -> !known.contains(option))
            .forEach(
                option ->
                    faults.unknown(
                        document, line, "option of kvmesh " + words.getFirst(), option, known));
      } else if (words.getFirst().matches("[a-z][a-z-]*")) {
        faults.unknown(document, line, "command of kvmesh", words.getFirst(), commands.keySet());
      }
    }
  }

  void maven(Document document, Line line, Faults faults) {
    if (!line.text().contains("mvn ")) {
      return;
    }
    String text = line.text();
    named(PROFILE, text).stream()
        .filter(it -> !profiles.contains(it))
        .forEach(it -> faults.unknown(document, line, "profile", it, profiles));
    named(MODULE, text).stream()
        .flatMap(it -> Arrays.stream(it.split(",", -1)))
        .filter(it -> !modules.contains(it))
        .forEach(it -> faults.unknown(document, line, "module", it, modules));
    named(PROPERTY, text).stream()
        .filter(it -> !OF_PLUGINS.contains(it) && !poms.contains(it))
        .forEach(it -> faults.unknown(document, line, "property of the build", it, OF_PLUGINS));
    for (MatchResult run : RUN.matcher(text).results().toList()) {
      arguments(document, line, run.group(1), run.group(2), faults);
    }
  }

  private void arguments(
      Document document, Line line, String module, String arguments, Faults faults) {
    if (module.equals("benchmarks")) {
      String name = arguments.split("\\s", -1)[0];
      if (!name.equals("NAME") && !benchmarks.contains(name)) {
        faults.unknown(document, line, "benchmark", name, benchmarks);
      }
    } else if (module.equals("quickstart")) {
      Set<String> known = quickstartOptions();
      OPTION
          .matcher(arguments)
          .results()
          .map(MatchResult::group)
          .filter(option -> !known.contains(option))
          .forEach(option -> faults.unknown(document, line, "option of quickstart", option, known));
    }
  }

  /** As {@code --help} lists them. */
  static Set<String> quickstartOptions() {
    return Pattern.compile("(?m)^ {2}(--[a-z-]+)")
        .matcher(CommandLine.help())
        .results()
        .map(it -> it.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static List<String> named(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(it -> it.group(1)).toList();
  }
}
