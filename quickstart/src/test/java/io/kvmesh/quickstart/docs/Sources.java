package io.kvmesh.quickstart.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Names that are in files of the build and of the programs and in no table. */
final class Sources {

  private static final Pattern EXPOSED = Pattern.compile("(?m)^ {8}include: (\\S+)$");
  private static final Pattern GROUP = Pattern.compile("(?m)^ {8}(\\w+):\\n {10}include:");
  private static final Pattern PROFILE = Pattern.compile("<profile>\\s*<id>(\\w+)</id>");
  private static final Pattern MODULE = Pattern.compile("<module>([\\w-]+)</module>");
  private static final Pattern BENCHMARK = Pattern.compile("case \"([\\w-]+)\" ->");
  private static final Pattern VARIABLE = Pattern.compile("\\$\\{env:(KVMESH_\\w+)");

  private Sources() {}

  /** {@code /actuator} and the paths below it that are exposed by either program. */
  static Set<String> actuator() throws IOException {
    Set<String> paths = new TreeSet<>(List.of("GET /actuator"));
    for (String file : List.of("worker-agent/src/main/resources/agent.yml", controllerYml())) {
      for (String exposed : found(EXPOSED, file)) {
        for (String id : exposed.split(",", -1)) {
          paths.add("GET /actuator/" + id);
        }
      }
      found(GROUP, file).forEach(group -> paths.add("GET /actuator/health/" + group));
    }
    return paths;
  }

  private static String controllerYml() {
    return "controller/src/main/resources/controller.yml";
  }

  static Set<String> profiles() throws IOException {
    return found(PROFILE, "pom.xml");
  }

  static Set<String> modules() throws IOException {
    return found(MODULE, "pom.xml");
  }

  static Set<String> benchmarks() throws IOException {
    return found(BENCHMARK, "benchmarks/src/main/java/io/kvmesh/benchmarks/Benchmarks.java");
  }

  /** Environment variables of the command line. */
  static Set<String> variables() throws IOException {
    return found(VARIABLE, "cli/src/main/java/io/kvmesh/cli/Connection.java");
  }

  /** The text of all files of the build. */
  static String poms() throws IOException {
    StringBuilder poms = new StringBuilder(Files.readString(Document.ROOT.resolve("pom.xml")));
    for (String module : modules()) {
      poms.append(Files.readString(Document.ROOT.resolve(module).resolve("pom.xml")));
    }
    return poms.toString();
  }

  static Set<String> found(Pattern pattern, String file) throws IOException {
    Path path = Document.ROOT.resolve(file);
    Set<String> found = new TreeSet<>();
    try (Stream<String> names =
        pattern.matcher(Files.readString(path)).results().map(it -> it.group(1))) {
      names.forEach(found::add);
    }
    assertThat(found).as("%s in %s", pattern, file).isNotEmpty();
    return found;
  }
}
