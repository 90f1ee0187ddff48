package io.kvmesh.helm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Each documented scenario, and variants of it, renders to objects that Kubernetes knows. */
class ScenariosTest {

  private static final String[][] VARIANTS = {
    {},
    {"networkPolicy.enabled=false", "security.curve.enabled=false", "serviceAccount.create=false"},
    {"monitoring.enabled=true", "monitoring.rules=true", "monitoring.dashboards=true"},
    {"controller.antiAffinity=off", "controller.tlsSecret=t", "controller.preStopSeconds=0"},
    {"agents.memory.volume=none", "agents.preStopSeconds=5", "agents.cpuLimit=2"},
    {"agents.memory.volume=hostPath", "agents.memory.locked=required", "fullnameOverride=other"},
  };

  static Stream<List<Object>> all() {
    return Chart.examples().stream()
        .flatMap(example -> Stream.of(VARIANTS).map(variant -> List.of(example, variant)));
  }

  static List<String> examples() {
    return Chart.examples();
  }

  @ParameterizedTest
  @MethodSource("all")
  void example_inAllVariants_isOfKnownTypes(List<Object> scenario) {
    List<JsonNode> objects =
        Chart.objects((String) scenario.getFirst(), (String[]) scenario.getLast());

    assertThat(objects).isNotEmpty().allSatisfy(KubernetesModel::check);
  }

  @ParameterizedTest
  @MethodSource("examples")
  void pods_areClosed(String example) {
    assertThat(Chart.podSpecs(Chart.objects(example))).isNotEmpty().allSatisfy(this::checkClosed);
  }

  private void checkClosed(JsonNode spec) {
    assertThat(spec.path("automountServiceAccountToken").asBoolean(true)).isFalse();
    // A Service named kvmesh-... would otherwise become a variable that looks like a setting.
    assertThat(spec.path("enableServiceLinks").asBoolean(true)).isFalse();
    assertThat(spec.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
    assertThat(spec.at("/securityContext/seccompProfile/type").asString())
        .isEqualTo("RuntimeDefault");
    for (JsonNode container : Chart.containers(spec)) {
      if (!container.path("name").asString().equals("engine")) {
        JsonNode context = container.path("securityContext");
        assertThat(context.path("allowPrivilegeEscalation").asBoolean(true)).isFalse();
        assertThat(context.at("/capabilities/drop/0").asString()).isEqualTo("ALL");
        assertThat(container.at("/resources/limits/memory").isMissingNode()).isFalse();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("examples")
  void rights_areNone(String example) {
    assertThat(Chart.objects(example))
        .noneMatch(object -> object.path("kind").asString().contains("Role"));
  }

  @ParameterizedTest
  @MethodSource("examples")
  void names_areNotOfOneReleaseOnly(String example) {
    String elsewhere = Chart.text(example, "fullnameOverride=zzz");

    assertThat(elsewhere.replaceAll("app.kubernetes.io/instance: .*", ""))
        .doesNotContain(Chart.RELEASE + "-kvmesh");
  }

  @Test
  void chart_isWithoutComplaintOfStrictLint() {
    LintResult result = new Helm(Chart.DIRECTORY).lint().strict().call();

    assertThat(result.isFailed()).as(String.valueOf(result.getMessages())).isFalse();
  }

  @Test
  void check_ofAnUnknownField_namesItsPlace() {
    JsonNode deployment =
        Chart.only(Chart.objects("minimal"), "Deployment", "fleet-kvmesh-controller");
    ((ObjectNode) deployment.at("/spec/template/spec/containers/0")).put("resourcez", "x");

    assertThatThrownBy(() -> KubernetesModel.check(deployment))
        .hasMessageContaining("resourcez")
        .hasMessageContaining("containers");
  }

  @Test
  void extraObjects_areMapsOrTemplates() {
    String text =
        Chart.text(
            "minimal",
            "extraObjects[0].apiVersion=v1",
            "extraObjects[0].kind=ConfigMap",
            "extraObjects[0].metadata.name=one",
            """
            extraObjects[1]=apiVersion: v1
            kind: ConfigMap
            metadata: {name: {{ .Release.Name }}-two}
            """);

    assertThat(text)
        .containsPattern(Pattern.compile("name: one$", Pattern.MULTILINE))
        .contains("{name: fleet-two}");
  }
}
