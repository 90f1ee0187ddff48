package io.kvmesh.controller.config;

import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/** Checks the settings before any bean exists, then offers them as one. */
public final class SettingsInitializer
    implements ApplicationContextInitializer<ConfigurableApplicationContext> {

  @Override
  public void initialize(ConfigurableApplicationContext context) {
    ControllerSettings settings = SettingsLoader.load(context.getEnvironment());
    context.getBeanFactory().registerSingleton("controllerSettings", settings);
  }
}
