package io.kvmesh.quickstart.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.quickstart.docs.Document.Line;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Whatever README and docs name is there: settings, metrics with their labels, endpoints, commands,
 * options, values of the chart, files and links. That all there is has a row in a table is for the
 * tests beside the programs; what has none is looked for here.
 */
class DocsTest {

  private interface Check {
    void check(Document document, Line line, Faults faults);
  }

  @Test
  void settings_exist() throws IOException {
    check(Document::lines, new Programs(tables())::settings);
  }

  @Test
  void metrics_exist() throws IOException {
    check(Document::lines, new Programs(tables())::metrics);
  }

  @Test
  void endpoints_exist() throws IOException {
    check(Document::lines, new Endpoints(tables())::check);
  }

  @Test
  void valuesOfTheChart_exist() throws IOException {
    check(Document::code, new Programs(tables())::values);
  }

  @Test
  void commands_exist() throws IOException {
    check(Document::code, new CommandLines()::kvmesh);
  }

  @Test
  void whatMavenIsTold_exists() throws IOException {
    check(Document::code, new CommandLines()::maven);
  }

  @Test
  void links_leadSomewhere() throws IOException {
    check(Document::lines, Links::links);
  }

  @Test
  void files_exist() throws IOException {
    check(Document::code, Links::files);
  }

  @Test
  void allThatHasNoTable_isNamed() throws IOException {
    String text =
        Document.all().stream()
            .flatMap(it -> it.lines().stream())
            .map(Line::text)
            .collect(Collectors.joining("\n"));

    Stream<String> options = CommandLines.quickstartOptions().stream();
    Stream<String> paths = Sources.actuator().stream().map(it -> it.replace("GET ", ""));
    Stream<String> benchmarks =
        Sources.benchmarks().stream()
            .filter(it -> !Pattern.compile("run\\.arguments='?" + it).matcher(text).find())
            .map(it -> "`" + it + "`");
    assertThat(
            Stream.of(options, paths, benchmarks, Sources.variables().stream())
                .flatMap(it -> it)
                .filter(it -> !text.contains(it)))
        .as("what no document names")
        .isEmpty();
  }

  @Test
  void whatIsNotThere_isToldWithItsPlaceAndWhatIsLikeIt() throws IOException {
    List<String> texts =
        List.of(
            "`kvmesh.cache.polcy` and `kvmesh.cash.*`, KVMESH_CACHE_POLCY=lfu",
            "kvmesh_agent_leasez, kvmesh_agent_channel_peers{channel=\"tcp\"}, {chanel=\"shm\"}",
            "GET /api/v1/workers/a, PUT /api/v1/workers",
            "[there](README.md#settingz), [nowhere](docs/nothing.md), `helm/nothing.yaml`",
            "```sh",
            "cli/kvmesh lokup --tokens 1 && cli/kvmesh lookup \\",
            "    --tokenz 1",
            "mvn -pl controler -Preplay -Dwerorr=x verify",
            "mvn -pl quickstart spring-boot:run -Dspring-boot.run.arguments=\"--chunk 500\"",
            "helm install kvmesh helm --set agents.memory.heep=2Gi",
            "```");
    Document document = Document.of(Path.of("TEST.md"), texts);
    Faults faults = new Faults();

    all(document, faults);

    assertThat(faults.all()).hasSize(17).allSatisfy(it -> assertThat(it).startsWith("TEST.md:"));
    assertThat(faults.all())
        .contains(
            "TEST.md:1: there is no setting 'kvmesh.cache.polcy', most like kvmesh.cache.policy");
  }

  private static void all(Document document, Faults faults) throws IOException {
    Programs programs = new Programs(tables());
    Endpoints endpoints = new Endpoints(tables());
    CommandLines commands = new CommandLines();
    for (Line line : document.lines()) {
      programs.settings(document, line, faults);
      programs.metrics(document, line, faults);
      endpoints.check(document, line, faults);
      Links.links(document, line, faults);
    }
    for (Line code : document.code()) {
      programs.values(document, code, faults);
      commands.kvmesh(document, code, faults);
      commands.maven(document, code, faults);
      Links.files(document, code, faults);
    }
  }

  private static Tables tables() throws IOException {
    return new Tables(Document.all());
  }

  private static void check(Function<Document, List<Line>> texts, Check check) throws IOException {
    Faults faults = new Faults();
    for (Document document : Document.all()) {
      texts.apply(document).forEach(line -> check.check(document, line, faults));
    }
    faults.requireNone();
  }
}
