package io.kvmesh.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** What the README says of the command line, compared with the parser. */
class ReadmeTest {

  private static final Path FILE = Path.of("..", "README.md");

  /** Options that every command has are described once, below the table. */
  private static final List<String> COMMON =
      List.of("--help", "--version", "--url", "--timeout", "--token-file", "--ca-file", "--output");

  @Test
  void commands_areThoseOfTheReadme() throws IOException {
    List<String> rows = rows();
    Path copy = Path.of("target", "readme", "commands.md");
    Files.createDirectories(copy.getParent());
    Files.write(copy, rows);

    assertThat(documented())
        .as("README.md, table 'commands'; what the parser says is in %s", copy.toAbsolutePath())
        .containsExactlyElementsOf(rows);
  }

  @Test
  void commonOptions_areInTheReadme() throws IOException {
    String readme = Files.readString(FILE);
    CommandLine workers = Kvmesh.commandLine().getSubcommands().get("workers");

    assertThat(workers).isNotNull();
    for (String option : COMMON) {
      assertThat(workers.getCommandSpec().findOption(option)).as(option).isNotNull();
      assertThat(readme).contains("`" + option);
    }
  }

  private static List<String> documented() throws IOException {
    List<String> lines = Files.readAllLines(FILE);
    int begin = lines.indexOf("<!-- table: commands -->");
    assertThat(begin).as("README.md has a table 'commands'").isNotNegative();
    List<String> rest = lines.subList(begin + 3, lines.size());
    return rest.subList(0, rest.indexOf("<!-- end -->"));
  }

  private static List<String> rows() {
    List<String> rows = new ArrayList<>();
    addRows("", Kvmesh.commandLine(), rows);
    rows.removeIf(row -> row.startsWith("| `help "));
    return rows;
  }

  private static void addRows(String before, CommandLine commands, List<String> rows) {
    commands
        .getSubcommands()
        .forEach(
            (name, command) -> {
              if (command.getSubcommands().isEmpty()) {
                rows.add(row(before + name, command.getCommandSpec()));
              } else {
                addRows(before + name + " ", command, rows);
              }
            });
  }

  private static String row(String name, CommandSpec command) {
    String parameters =
        command.positionalParameters().stream()
            .filter(it -> !it.hidden())
            .map(ReadmeTest::parameter)
            .collect(Collectors.joining());
    String options =
        command.options().stream()
            .filter(it -> !COMMON.contains(it.longestName()) && !it.hidden())
            .map(ReadmeTest::option)
            .collect(Collectors.joining(", "));
    return "| `%s%s` | %s | %s |"
        .formatted(
            name, parameters, String.join(" ", command.usageMessage().description()), options)
        .replace("  |", " |");
  }

  private static String parameter(PositionalParamSpec parameter) {
    return parameter.arity().min() == 0
        ? " [" + parameter.paramLabel() + "]"
        : " " + parameter.paramLabel();
  }

  private static String option(OptionSpec option) {
    return "`" + option.longestName() + value(option) + "`";
  }

  private static String value(ArgSpec option) {
    return option.arity().max() == 0 ? "" : " " + option.paramLabel();
  }
}
