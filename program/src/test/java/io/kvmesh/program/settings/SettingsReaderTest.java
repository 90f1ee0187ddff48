package io.kvmesh.program.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.kvmesh.common.settings.InvalidSettingsException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.util.unit.DataSize;

class SettingsReaderTest {

  enum Colour {
    RED,
    GREEN,
    BLUE
  }

  record Sample(
      @DefaultValue("5s") Duration pause,
      @DefaultValue("1MB") DataSize size,
      @DefaultValue("7") int count,
      @DefaultValue("8") long total,
      @DefaultValue("true") boolean on,
      @DefaultValue("red") Colour colour,
      @DefaultValue Inner inner) {}

  record Inner(@DefaultValue("0.5") double share) {}

  private static Sample read(Map<String, Object> values) {
    StandardEnvironment environment = new StandardEnvironment();
    environment.getPropertySources().addFirst(new MapPropertySource("test", values));
    return SettingsReader.read(
        environment,
        Sample.class,
        "sampler",
        (sample, faults) -> {
          if (sample.count() > 10) {
            faults.add("count", sample.count(), "must be at most 10");
          }
        });
  }

  private static Map<String, String> faults(Map<String, Object> values) {
    InvalidSettingsException refused =
        catchThrowableOfType(InvalidSettingsException.class, () -> read(values));
    Map<String, String> faults = new HashMap<>();
    refused.faults().forEach(fault -> faults.put(fault.setting(), fault.rule()));
    return faults;
  }

  @Test
  void valuesThatAreMissing_areTheDefaults() {
    assertThat(read(Map.of("kvmesh.colour", "blue")))
        .isEqualTo(
            new Sample(
                Duration.ofSeconds(5),
                DataSize.ofMegabytes(1),
                7,
                8,
                true,
                Colour.BLUE,
                new Inner(0.5)));
  }

  @Test
  void everyFault_isToldAtOnce_eachWithWhatItMustBe() {
    Map<String, Object> wrong = new HashMap<>();
    wrong.put("kvmesh.pause", "soon");
    wrong.put("kvmesh.size", "much");
    wrong.put("kvmesh.count", "11");
    wrong.put("kvmesh.total", "1.5");
    wrong.put("kvmesh.on", "perhaps");
    wrong.put("kvmesh.colour", "pink");
    wrong.put("kvmesh.inner.share", "half");
    wrong.put("kvmesh.inner.shard", "1");

    assertThat(faults(wrong))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "kvmesh.pause", "must be a duration such as 200ms, 5s or 2m",
                "kvmesh.size", "must be a size such as 64KB or 16MB",
                "kvmesh.count", "must be at most 10",
                "kvmesh.total", "must be a whole number",
                "kvmesh.on", "must be true or false",
                "kvmesh.colour", "must be red, green or blue",
                "kvmesh.inner.share", "must be a number",
                "kvmesh.inner.shard", "is not a setting of the sampler"));
  }

  @Test
  void analysis_listsFaultsWithoutTrace() {
    InvalidSettingsException thrown =
        catchThrowableOfType(
            InvalidSettingsException.class, () -> read(Map.of("kvmesh.count", "11")));

    FailureAnalysis analysis =
        new InvalidSettingsAnalyzer().analyze(new IllegalStateException(thrown));

    assertThat(analysis).isNotNull();
    assertThat(analysis.getDescription()).contains("1 setting(s)").contains("kvmesh.count = '11'");
  }
}
