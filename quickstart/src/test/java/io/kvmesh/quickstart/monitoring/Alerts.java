package io.kvmesh.quickstart.monitoring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The shipped alerts and what is written about them. */
final class Alerts {

  /** Where the rules and their tests are. */
  static final Path FOLDER = Path.of("..", "helm", "rules");

  /** The rules. */
  static final Path RULES = FOLDER.resolve("kvmesh.yml");

  private static final Path RUNBOOK = Path.of("..", "docs", "runbook.md");
  private static final Pattern NAME = Pattern.compile("- alert: (\\w+)");
  private static final Pattern TESTED = Pattern.compile("- name: (\\w+) (fires|keeps quiet)");

  private Alerts() {}

  /** Names of all alerts, in order. */
  static List<String> names() throws IOException {
    return NAME.matcher(Files.readString(RULES)).results().map(it -> it.group(1)).toList();
  }

  /** Where each is to be explained, in order. */
  static List<String> runbooks() throws IOException {
    return Files.readAllLines(RULES).stream()
        .map(String::strip)
        .filter(line -> line.startsWith("runbook: "))
        .map(line -> line.substring("runbook: ".length()))
        .toList();
  }

  /** Titles of the runbook's sections, in order. */
  static List<String> sections() throws IOException {
    return Files.readAllLines(RUNBOOK).stream()
        .filter(line -> line.startsWith("## "))
        .map(line -> line.substring("## ".length()))
        .toList();
  }

  /** The numbered steps of an alert's section. */
  static List<String> toDo(String alert) throws IOException {
    return Files.readAllLines(RUNBOOK).stream()
        .dropWhile(line -> !line.equals("## " + alert))
        .skip(1)
        .takeWhile(line -> !line.startsWith("## "))
        .filter(line -> line.matches("\\d+\\. .*"))
        .toList();
  }

  /** Those with a test of what {@code does} says: "fires" or "keeps quiet". */
  static List<String> tested(String does) throws IOException {
    return TESTED
        .matcher(Files.readString(FOLDER.resolve("kvmesh-test.yml")))
        .results()
        .filter(it -> it.group(2).equals(does))
        .map((MatchResult it) -> it.group(1))
        .toList();
  }
}
