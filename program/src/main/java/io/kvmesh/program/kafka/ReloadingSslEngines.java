package io.kvmesh.program.kafka;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.security.KeyStore;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLEngine;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.security.auth.SslEngineFactory;
import org.apache.kafka.common.security.ssl.DefaultSslEngineFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kafka's own, made anew when a file that it reads has changed: a client takes renewed certificates
 * with its next connection. While the files can't be read, what they held before is good. Made by
 * Kafka's clients; any thread.
 */
public final class ReloadingSslEngines implements SslEngineFactory {

  private static final Logger log = LoggerFactory.getLogger(ReloadingSslEngines.class);

  @GuardedBy("this")
  private Map<String, ?> properties = Map.of();

  @GuardedBy("this")
  private DefaultSslEngineFactory engines = new DefaultSslEngineFactory();

  @GuardedBy("this")
  private StoreFiles files = StoreFiles.of(Map.of());

  @Override
  public synchronized void configure(Map<String, ?> configs) {
    properties = configs;
    files = StoreFiles.of(configs);
    engines.configure(configs);
  }

  @Override
  public synchronized SSLEngine createClientSslEngine(
      String peerHost, int peerPort, @Nullable String endpointIdentification) {
    return current().createClientSslEngine(peerHost, peerPort, endpointIdentification);
  }

  @Override
  public synchronized SSLEngine createServerSslEngine(String peerHost, int peerPort) {
    return current().createServerSslEngine(peerHost, peerPort);
  }

  @GuardedBy("this")
  private DefaultSslEngineFactory current() {
    StoreFiles now = StoreFiles.of(properties);
    if (!now.equals(files)) {
      files = now;
      reload();
    }
    return engines;
  }

  @GuardedBy("this")
  private void reload() {
    DefaultSslEngineFactory renewed = new DefaultSslEngineFactory();
    try {
      renewed.configure(properties);
      engines.close();
      engines = renewed;
      log.info("Connections to Kafka take the certificates that are now in {}", files);
    } catch (KafkaException e) {
      renewed.close();
      log.warn(
          "Connections to Kafka keep their certificates; what is now in {}: {}",
          files,
          KafkaCheck.innermost(e).getMessage());
    }
  }

  @Override
  public synchronized boolean shouldBeRebuilt(Map<String, Object> nextConfigs) {
    return engines.shouldBeRebuilt(nextConfigs);
  }

  @Override
  public synchronized Set<String> reconfigurableConfigs() {
    return engines.reconfigurableConfigs();
  }

  @Override
  public synchronized @Nullable KeyStore keystore() {
    return current().keystore();
  }

  @Override
  public synchronized @Nullable KeyStore truststore() {
    return current().truststore();
  }

  @Override
  public synchronized void close() {
    engines.close();
  }
}
