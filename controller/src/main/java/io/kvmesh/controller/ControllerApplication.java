package io.kvmesh.controller;

import io.kvmesh.common.process.UncaughtFaults;
import io.kvmesh.controller.config.ControllerConfiguration;
import io.kvmesh.controller.config.SettingsInitializer;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts the controller. */
public final class ControllerApplication {

  private ControllerApplication() {}

  public static void main(String[] args) {
    UncaughtFaults.log();
    start(args);
  }

  /** The running program; closing the context stops it gracefully. */
  public static ConfigurableApplicationContext start(String... args) {
    return new SpringApplicationBuilder(ControllerConfiguration.class)
        .web(WebApplicationType.SERVLET)
        .properties("spring.config.name=controller")
        .initializers(new SettingsInitializer())
        .run(args);
  }
}
