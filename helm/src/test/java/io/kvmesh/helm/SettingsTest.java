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
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.SimpleCommandLinePropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import tools.jackson.databind.JsonNode;

/** The arguments and variables that the chart gives to the programs are settings that they have. */
class SettingsTest {

  private static final Path README = Path.of("..", "README.md");
  private static final Path CERTIFICATE = Path.of("src", "test", "resources", "ca.pem");

  /** Of Spring Boot, beside those of the README. */
  private static final Set<String> SPRING =
      Set.of(
          "server.ssl.bundle",
          "spring.ssl.bundle.pem.rest.keystore.certificate",
          "spring.ssl.bundle.pem.rest.keystore.private-key",
          "spring.ssl.bundle.pem.rest.reload-on-update");

  /** What a node says of itself, as variables of a container. */
  private static final Map<String, String> OF_THE_NODE =
      Map.of("NODE_NAME", "gpu-node-7", "POD_NAME", "agent-0", "POD_IP", "10.1.2.3");

  @TempDir Path files;

  static List<String> examples() {
    return Chart.examples();
  }

  @ParameterizedTest
  @MethodSource("examples")
  void controllers_takeTheirs(String example) throws IOException {
    check(
        Chart.containers(Chart.objects(example), "controller"),
        "controller-settings",
        io.kvmesh.controller.config.SettingsLoader::load);
  }

  @ParameterizedTest
  @MethodSource("examples")
  void agents_takeTheirs(String example) throws IOException {
    check(
        Chart.containers(Chart.objects(example), "agent"),
        "agent-settings",
        io.kvmesh.agent.config.SettingsLoader::load);
  }

  private void check(
      List<JsonNode> containers, String table, Consumer<ConfigurableEnvironment> load)
      throws IOException {
    Set<String> known = settings(table);
    for (JsonNode container : containers) {
      Map<String, String> variables = variables(container);
      List<String> arguments = arguments(container, variables);
      assertThat(arguments).isNotEmpty().allMatch(it -> isKnown(it, known), "is a setting");
      assertThat(variables.keySet())
          .allMatch(it -> !it.startsWith("KVMESH_") || isVariable(it, known), "is a setting");
      StandardEnvironment environment = new StandardEnvironment();
      environment
          .getPropertySources()
          .addFirst(new SimpleCommandLinePropertySource(arguments.toArray(String[]::new)));
      environment
          .getPropertySources()
          .replace(
              StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
              new SystemEnvironmentPropertySource(
                  StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                  Map.copyOf(variables)));
      load.accept(environment);
    }
  }

  private static boolean isKnown(String argument, Set<String> known) {
    String name = argument.substring("--".length(), argument.indexOf('='));
    return known.contains(name.replaceFirst("\\[\\d+]\\..*", "")) || SPRING.contains(name);
  }

  private static boolean isVariable(String variable, Set<String> known) {
    return known.stream()
        .anyMatch(it -> it.replace("-", "").replace('.', '_').equalsIgnoreCase(variable));
  }

  /** Names in the README's tables. */
  private static Set<String> settings(String table) throws IOException {
    String readme = Files.readString(README);
    int begin = readme.indexOf("<!-- table: " + table + " -->");
    String own = readme.substring(begin, readme.indexOf("<!-- end -->", begin));
    int both = readme.indexOf("\n### Both\n");
    String shared = readme.substring(both, readme.indexOf("\n### ", both + 1));
    return (own + shared)
        .lines()
        .filter(line -> line.startsWith("| `"))
        .map(line -> line.substring(3, line.indexOf('`', 3)))
        .collect(Collectors.toSet());
  }

  private static Map<String, String> variables(JsonNode container) {
    Map<String, String> variables = new TreeMap<>();
    for (JsonNode variable : container.path("env")) {
      String name = variable.path("name").asString();
      variables.put(
          name, variable.path("value").asString(OF_THE_NODE.getOrDefault(name, "of a Secret")));
    }
    return variables;
  }

  /** As the program gets them, but for files, which are in a folder of this test. */
  private List<String> arguments(JsonNode container, Map<String, String> variables)
      throws IOException {
    List<String> arguments = new ArrayList<>();
    for (JsonNode node : container.path("args")) {
      String argument = node.asString();
      for (Map.Entry<String, String> variable : variables.entrySet()) {
        argument = argument.replace("$(" + variable.getKey() + ")", variable.getValue());
      }
      assertThat(argument).doesNotContain("$(");
      arguments.add(withFile(argument));
    }
    return arguments;
  }

  private static String content(String argument) throws IOException {
    if (argument.endsWith(".properties")) {
      return "security.protocol=SSL";
    }
    if (argument.endsWith(".crt")) {
      return Files.readString(CERTIFICATE);
    }
    return argument.endsWith("/tokens")
        ? "read a-token-of-twenty-letters"
        : "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
  }

  /** A file that is named there must be in one of the container's volumes: here it is made. */
  private String withFile(String argument) throws IOException {
    int begin = argument.indexOf("/etc/kvmesh/");
    if (begin < 0) {
      return argument;
    }
    Path file = files.resolve(argument.substring(begin).replace('/', '_'));
    Files.writeString(file, content(argument));
    return argument.substring(0, begin) + file;
  }
}
