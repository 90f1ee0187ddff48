package io.kvmesh.agent.config;

import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/** Checks the settings before any bean exists, then offers them as one. */
public final class SettingsInitializer
    implements ApplicationContextInitializer<ConfigurableApplicationContext> {

  @Override
  public void initialize(ConfigurableApplicationContext context) {
    AgentSettings settings = SettingsLoader.load(context.getEnvironment());
    context.getBeanFactory().registerSingleton("agentSettings", settings);
  }
}
