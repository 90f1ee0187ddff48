package io.kvmesh.helm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Dockerfile, jib's configuration and the chart say the same of an image. */
class ImagesTest {

  private static final Path ROOT = Path.of("..");

  private static String text(String file) throws IOException {
    return Files.readString(ROOT.resolve(file));
  }

  private static String first(String text, String pattern) {
    Matcher matcher = Pattern.compile(pattern, Pattern.DOTALL).matcher(text);
    assertThat(matcher.find()).as(pattern).isTrue();
    return matcher.group(1);
  }

  private static List<String> all(String text, String pattern) {
    return Pattern.compile(pattern).matcher(text).results().map(it -> it.group(1)).toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"controller", "worker-agent"})
  void entryPoint_differsOnlyInTheClassPath(String module) throws IOException {
    List<String> docker =
        all(first(text(module + "/Dockerfile"), "ENTRYPOINT \\[(.*?)]"), "\"([^\"]*)\"");
    List<String> jib = all(first(text("pom.xml"), "<entrypoint>(.*?)</entrypoint>"), "<arg>(.*)</");

    assertThat(docker).endsWith("-jar", "/app/kvmesh.jar");
    assertThat(jib).endsWith("-cp", "@/app/jib-classpath-file", "${image.main}");
    assertThat(docker.subList(0, docker.size() - 2))
        .contains("-XX:+ExitOnOutOfMemoryError", "-XX:+HeapDumpOnOutOfMemoryError")
        .isEqualTo(jib.subList(0, jib.size() - 3));
  }

  @ParameterizedTest
  @ValueSource(strings = {"controller", "worker-agent"})
  void userPortsBaseAndLabels_areTheSame(String module) throws IOException {
    String docker = text(module + "/Dockerfile");
    String parent = text("pom.xml");
    String pom = text(module + "/pom.xml");

    assertThat(first(docker, "USER (\\S+)")).isEqualTo(first(parent, "<user>(.*?)</user>"));
    assertThat(first(docker, "JRE_IMAGE=(\\S+)"))
        .isEqualTo(first(parent, "<image.base>(eclipse.*?)</"));
    assertThat(first(docker, "EXPOSE ([0-9 ]+)").split(" ", -1))
        .containsExactlyElementsOf(all(pom, "<port>(\\d+)</port>"));
    assertThat(first(docker, "image.title=\"(.*?)\"")).isEqualTo("kvmesh " + module);
    assertThat(first(docker, "image.description=\"(.*?)\""))
        .isEqualTo(first(pom, "<description>(.*?)</description>"));
    assertThat(first(docker, "image.licenses=\"(.*?)\""))
        .isEqualTo(first(parent, "image.licenses>(.*?)</"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"controller", "worker-agent"})
  void options_areTheSame_andTheChartSetsEachOfThem(String module) throws IOException {
    String docker = first(text(module + "/Dockerfile"), "JDK_JAVA_OPTIONS=\"(.*?)\"");
    String jib = first(text(module + "/pom.xml"), "<image.java.options>(.*?)</");
    String program = module.equals("controller") ? "controller" : "agent";
    JsonNode container = Chart.containers(Chart.objects("minimal"), program).getFirst();
    String chart =
        first(container.path("env").toString(), "JDK_JAVA_OPTIONS\",\"value\":\"(.*?)\"");

    assertThat(docker).isEqualTo(jib);
    // An agent's heap is a number in the chart, which knows it.
    Set<String> wanted = new TreeSet<>(names(docker));
    Set<String> had = new TreeSet<>(names(chart.replaceFirst("-Xmx\\S+", "-XX:MaxRAMPercentage=")));
    assertThat(had).containsAll(wanted);
    assertThat(container.at("/securityContext/runAsUser").asInt() + ":10001")
        .isEqualTo(first(text("pom.xml"), "<user>(.*?)</user>"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"controller", "worker-agent"})
  void logs_areOfTheFormatThatTheChartSets(String module) throws IOException {
    String program = module.equals("controller") ? "controller" : "agent";
    String chart = Chart.containers(Chart.objects("minimal"), program).getFirst().toString();
    String plain =
        Chart.containers(Chart.objects("minimal", "logFormat=plain"), program)
            .getFirst()
            .toString();
    String format = first(text("pom.xml"), "<LOGGING_STRUCTURED_FORMAT_CONSOLE>(.*?)</");

    assertThat(first(text(module + "/Dockerfile"), "ENV LOGGING_STRUCTURED_FORMAT_CONSOLE=(\\S+)"))
        .isEqualTo(format);
    assertThat(first(chart, "--logging.structured.format.console=(.*?)\"")).isEqualTo(format);
    assertThat(first(plain, "--logging.structured.format.console=(.*?)\"")).isEmpty();
  }

  /** Of options, without their values. */
  private static List<String> names(String options) {
    List<String> names = new ArrayList<>();
    for (String option : options.split(" ", -1)) {
      names.add(option.replaceFirst("=.*", ""));
    }
    return names;
  }
}
