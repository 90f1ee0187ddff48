package io.kvmesh.agent;

import io.kvmesh.agent.config.AgentConfiguration;
import io.kvmesh.agent.config.SettingsInitializer;
import io.kvmesh.common.process.UncaughtFaults;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts the worker agent. */
public final class AgentApplication {

  private AgentApplication() {}

  public static void main(String[] args) {
    UncaughtFaults.log();
    start(args);
  }

  /** The running program; closing the context stops it gracefully. */
  public static ConfigurableApplicationContext start(String... args) {
    return new SpringApplicationBuilder(AgentConfiguration.class)
        .web(WebApplicationType.SERVLET)
        .properties("spring.config.name=agent")
        .initializers(new SettingsInitializer())
        .run(args);
  }
}
