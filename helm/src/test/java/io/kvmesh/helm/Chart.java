package io.kvmesh.helm;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.TemplateCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** This module's chart, rendered. */
final class Chart {

  static final Path DIRECTORY = Path.of("").toAbsolutePath();
  static final String RELEASE = "fleet";
  static final String NAMESPACE = "inference";

  private Chart() {}

  static Path example(String name) {
    return DIRECTORY.resolve("examples").resolve(name + ".yaml");
  }

  /** Names of all files of values, as {@link #example} takes them. */
  static List<String> examples() {
    try (Stream<Path> files = Files.list(DIRECTORY.resolve("examples"))) {
      return files
          .map(file -> file.getFileName().toString().replaceFirst("\\.yaml$", ""))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * @param settings NAME=VALUE, as after {@code --set}
   */
  static String text(String example, String... settings) {
    return text(DIRECTORY, example(example), settings);
  }

  static String text(Path chart, Path values, String... settings) {
    TemplateCommand command =
        new Helm(chart)
            .template()
            .withKubeVersion("1.30.0")
            .withName(RELEASE)
            .withNamespace(NAMESPACE)
            .withValuesFile(values);
    for (String setting : settings) {
      String[] parts = setting.split("=", 2);
      command.set(parts[0], parts[1]);
    }
    return command.call();
  }

  static List<JsonNode> objects(String example, String... settings) {
    return parse(text(example, settings));
  }

  /** Documents that hold something. A key that comes twice is an error. */
  static List<JsonNode> parse(String text) {
    LoaderOptions strict = new LoaderOptions();
    strict.setAllowDuplicateKeys(false);
    strict.setCodePointLimit(16 << 20);
    List<JsonNode> objects = new ArrayList<>();
    for (Object document : new Yaml(strict).loadAll(text)) {
      if (document != null) {
        objects.add(JsonMapper.shared().valueToTree(document));
      }
    }
    return objects;
  }

  static JsonNode only(List<JsonNode> objects, String kind, String name) {
    List<JsonNode> found =
        objects.stream()
            .filter(object -> object.path("kind").asString().equals(kind))
            .filter(object -> object.at("/metadata/name").asString().equals(name))
            .toList();
    if (found.size() != 1) {
      throw new AssertionError("%d objects are %s %s".formatted(found.size(), kind, name));
    }
    return found.getFirst();
  }

  /** What all pods are made of. */
  static List<JsonNode> podSpecs(List<JsonNode> objects) {
    return objects.stream()
        .map(object -> object.at("/spec/template/spec"))
        .filter(spec -> !spec.isMissingNode())
        .toList();
  }

  /** Containers of a pod, those among them that start first. */
  static List<JsonNode> containers(JsonNode podSpec) {
    return Stream.of("initContainers", "containers")
        .flatMap(kind -> podSpec.path(kind).valueStream())
        .toList();
  }

  /** Those of a program: {@code controller} or {@code agent}. */
  static List<JsonNode> containers(List<JsonNode> objects, String program) {
    return podSpecs(objects).stream()
        .flatMap(spec -> containers(spec).stream())
        .filter(container -> container.path("name").asString().matches(program + "(-\\d+)?"))
        .toList();
  }
}
