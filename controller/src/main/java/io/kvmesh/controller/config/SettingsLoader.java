package io.kvmesh.controller.config;

import io.kvmesh.common.settings.InvalidSettingsException;
import io.kvmesh.program.settings.SettingsReader;
import org.springframework.core.env.ConfigurableEnvironment;

/** Reads and checks {@link ControllerSettings}. */
public final class SettingsLoader {

  private SettingsLoader() {}

  /**
   * Those of an environment, by {@link SettingsRules}.
   *
   * @throws InvalidSettingsException naming every fault
   */
  public static ControllerSettings load(ConfigurableEnvironment environment) {
    return SettingsReader.read(
        environment,
        ControllerSettings.class,
        "controller",
        (settings, faults) -> new SettingsRules(faults).check(settings));
  }
}
