package io.kvmesh.quickstart.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What can be said of dashboards and alerts without running anything but promtool. */
class MonitoringTest {

  /** What an operator is to do, and when: the form of all descriptions. */
  private static final Pattern WHEN = Pattern.compile("(^|[.;] )When [^:]+: .+[.]$");

  private static final Pattern ALERT = Pattern.compile("\\bKvmesh[A-Z]\\w+");
  private static final Pattern SETTING = Pattern.compile("\\bkvmesh(?:[.][a-z]+(?:-[a-z]+)*){2,}");
  private static final Pattern TITLE = Pattern.compile("'([A-Z][^']+)'");

  @Test
  void panels_haveTitleUnitDescriptionAndQueries() throws Exception {
    SoftAssertions softly = new SoftAssertions();
    for (Panel panel : Panel.all()) {
      softly.assertThat(panel.title()).as("title of %s", panel).isNotBlank();
      softly.assertThat(panel.unit()).as("unit of %s", panel).isNotBlank();
      softly.assertThat(panel.description()).as("description of %s", panel).containsPattern(WHEN);
      softly.assertThat(panel.queries()).as("queries of %s", panel).isNotEmpty();
    }
    softly.assertAll();
  }

  @Test
  void descriptions_nameWhatIsThere() throws Exception {
    String readme = Files.readString(Path.of("..", "README.md"));
    List<String> titles = Panel.all().stream().map(Panel::title).toList();
    SoftAssertions softly = new SoftAssertions();
    for (Panel panel : Panel.all()) {
      softly.assertThat(Alerts.names()).as("%s", panel).containsAll(named(ALERT, panel));
      softly.assertThat(titles).as("%s", panel).containsAll(named(TITLE, panel));
      softly
          .assertThat(named(SETTING, panel))
          .as("%s", panel)
          .allMatch(setting -> readme.contains("`" + setting + "`"));
    }
    softly.assertAll();
  }

  private static List<String> named(Pattern kind, Panel panel) {
    return kind.matcher(panel.description())
        .results()
        .map(it -> it.group(it.groupCount()))
        .toList();
  }

  /** Those that were drawn before a panel came or got another title are drawn anew. */
  @Test
  void pictures_showAllPanels() throws Exception {
    Path folder = Path.of("..", "docs", "pictures");
    SoftAssertions softly = new SoftAssertions();
    for (Dashboard dashboard : Dashboard.all()) {
      String picture = Files.readString(folder.resolve(dashboard.name() + ".svg"));
      for (JsonNode panel : dashboard.json().path("panels")) {
        softly
            .assertThat(picture)
            .as("picture of %s", dashboard.name())
            .contains(">" + panel.path("title").asString() + "<");
      }
    }
    softly.assertAll();
  }

  @Test
  void panelsAndAlerts_useMetricsThatExist() throws Exception {
    Set<String> known = MetricNames.known();
    assertThat(known).hasSizeGreaterThan(100);
    SoftAssertions softly = new SoftAssertions();
    for (Panel panel : Panel.all()) {
      for (String query : panel.queries()) {
        softly.assertThat(known).as("%s", panel).containsAll(MetricNames.in(query));
      }
    }
    softly
        .assertThat(known)
        .as("alerts")
        .containsAll(MetricNames.in(Files.readString(Alerts.RULES)));
    softly.assertAll();
  }

  @Test
  void alerts_areExplainedAndTestedBothWays() throws Exception {
    List<String> names = Alerts.names();
    assertThat(names).isNotEmpty().doesNotHaveDuplicates();
    assertThat(Alerts.sections()).isEqualTo(names);
    assertThat(Alerts.runbooks())
        .isEqualTo(
            names.stream()
                .map(name -> "docs/runbook.md#" + name.toLowerCase(Locale.ROOT))
                .toList());
    assertThat(Alerts.tested("fires")).isEqualTo(names);
    assertThat(Alerts.tested("keeps quiet")).isEqualTo(names);
  }

  @Test
  void shortRules_differInTimesAlone() throws Exception {
    String rules = Files.readString(Alerts.RULES);
    String cut = ShortRules.cut(rules);
    assertThat(cut.replaceAll("\\d+[smhd]\\b", "T"))
        .isEqualTo(rules.replaceAll("\\d+[smhd]\\b", "T"));
    assertThat(cut.replace(" 1s", "").replace("[5s]", "")).doesNotContainPattern("for: \\d|\\[\\d");
  }

  @Test
  void promtool_acceptsTheRulesAndTheirTests() throws Exception {
    assumeTrue(Prometheus.isInstalled(), Prometheus.MISSING);
    promtool("check", "rules", "kvmesh.yml");
    promtool("test", "rules", "kvmesh-test.yml");
  }

  private static void promtool(String... arguments) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(Prometheus.command("promtool", arguments))
            .directory(Alerts.FOLDER.toFile())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
  }
}
