package io.kvmesh.agent.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.kvmesh.common.settings.InvalidSettingsException;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** Settings as an agent loads them: some that are enough to start, and changes to them. */
final class TestSettings {

  private final Map<String, Object> values =
      new HashMap<>(
          Map.of(
              "kvmesh.instance-id", "i",
              "kvmesh.model.name", "m",
              "kvmesh.model.page-bytes", "64KB",
              "kvmesh.peer.advertised-host", "10.0.0.5"));

  /**
   * With changes.
   *
   * @param changes in the form {@code name=value}, below {@code kvmesh}
   */
  static TestSettings with(String... changes) {
    return new TestSettings().and(changes);
  }

  /** With further ones of these. */
  TestSettings and(String... changes) {
    for (String change : changes) {
      String[] parts = change.split("=", 2);
      values.put("kvmesh." + parts[0], parts[1]);
    }
    return this;
  }

  /** With changes under their whole names. */
  static TestSettings with(Map<String, Object> changes) {
    TestSettings settings = new TestSettings();
    settings.values.putAll(changes);
    return settings;
  }

  AgentSettings load() {
    StandardEnvironment environment = new StandardEnvironment();
    environment.getPropertySources().addFirst(new MapPropertySource("test", values));
    return SettingsLoader.load(environment);
  }

  /** They are refused: the rule that each faulty setting breaks. */
  Map<String, String> faults() {
    InvalidSettingsException refused =
        catchThrowableOfType(InvalidSettingsException.class, this::load);
    assertThat(refused).as("a refusal of %s", values).isNotNull();
    Map<String, String> faults = new TreeMap<>();
    refused.faults().forEach(fault -> faults.put(fault.setting(), fault.rule()));
    return faults;
  }
}
