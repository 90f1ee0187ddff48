package io.kvmesh.controller.config;

import java.nio.file.Path;
import java.util.Map;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/** Checks the settings before any bean exists, then offers them as one. */
public final class SettingsInitializer
    implements ApplicationContextInitializer<ConfigurableApplicationContext> {

  /** The SSL bundle with the certificates by which Redis is known. */
  private static final String REDIS = "kvmesh-redis";

  @Override
  public void initialize(ConfigurableApplicationContext context) {
    ControllerSettings settings = SettingsLoader.load(context.getEnvironment());
    watchRedisCertificates(context.getEnvironment(), settings.redis().caFile());
    context.getBeanFactory().registerSingleton("controllerSettings", settings);
  }

  /** An SSL bundle of them, read again when the file changes, as each new connection does. */
  private static void watchRedisCertificates(ConfigurableEnvironment environment, String file) {
    if (!file.isEmpty()) {
      String bundle = "spring.ssl.bundle.pem." + REDIS;
      Map<String, Object> properties =
          Map.of(
              bundle + ".truststore.certificate",
              Path.of(file).toUri().toString(),
              bundle + ".reload-on-update",
              true);
      environment.getPropertySources().addLast(new MapPropertySource(REDIS, properties));
    }
  }
}
