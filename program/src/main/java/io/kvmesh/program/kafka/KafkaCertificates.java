package io.kvmesh.program.kafka;

import java.io.IOException;
import java.security.KeyStore;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.network.ConnectionMode;
import org.apache.kafka.common.security.auth.SslEngineFactory;
import org.apache.kafka.common.security.ssl.SslFactory;
import org.jspecify.annotations.Nullable;

/**
 * The certificates that Kafka's clients work with, whatever form their properties name them in.
 *
 * @param shown to Kafka; null = none
 * @param trusted by which Kafka is known; null = those of the JVM
 */
public record KafkaCertificates(@Nullable KeyStore shown, @Nullable KeyStore trusted) {

  /**
   * Those of the properties, as Kafka's own classes read them; none where no TLS is spoken. Asks
   * nobody.
   *
   * @throws IOException if they can't be read
   */
  public static KafkaCertificates read(ClientProperties properties) throws IOException {
    if (!properties.speakTls()) {
      return new KafkaCertificates(null, null);
    }
    try (SslFactory factory = new SslFactory(ConnectionMode.CLIENT)) {
      factory.configure(parsed(properties));
      SslEngineFactory made = factory.sslEngineFactory();
      return new KafkaCertificates(made.keystore(), made.truststore());
    } catch (KafkaException e) {
      throw new IOException(KafkaCheck.innermost(e).getMessage(), e);
    }
  }

  /** As a client parses them, and what it doesn't know, for a factory of the operator's own. */
  private static Map<String, Object> parsed(ClientProperties properties) {
    var config = new AdminClientConfig(properties.with(KafkaCheck.NOBODY));
    Map<String, Object> all = new HashMap<>(config.originals());
    all.putAll(config.values());
    return all;
  }

  /** Whether there is none to look at. */
  public boolean isEmpty() {
    return shown == null && trusted == null;
  }
}
