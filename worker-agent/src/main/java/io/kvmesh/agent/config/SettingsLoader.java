package io.kvmesh.agent.config;

import io.kvmesh.common.settings.InvalidSettingsException;
import io.kvmesh.program.settings.SettingsReader;
import org.springframework.core.env.ConfigurableEnvironment;

/** Reads and checks {@link AgentSettings}. */
public final class SettingsLoader {

  private SettingsLoader() {}

  /**
   * Those of an environment, by {@link SettingsRules}.
   *
   * @throws InvalidSettingsException naming every fault
   */
  public static AgentSettings load(ConfigurableEnvironment environment) {
    return SettingsReader.read(
        environment,
        AgentSettings.class,
        "agent",
        (settings, faults) -> new SettingsRules(faults).check(settings));
  }
}
