package io.kvmesh.program.certificate;

import io.kvmesh.program.kafka.ClientProperties;
import io.kvmesh.program.kafka.KafkaCertificates;
import io.kvmesh.program.kafka.StoreFiles;
import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.boot.ssl.SslStoreBundle;

/**
 * Shows the certificates of Kafka's clients as they are now: those that are renewed are taken by
 * the clients' next connections. Asks nobody but the files. Looks on a thread of its own.
 */
final class KafkaCertificateWatch implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(KafkaCertificateWatch.class);
  private static final long EVERY_SECONDS = 10;

  private final ClientProperties properties;
  private final SslBundleRegistry bundles;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("kafka-certificates").daemon().factory());
  private StoreFiles seen;

  /**
   * @param properties of the clients, as they were read at the start
   * @param bundles has one of them already
   */
  KafkaCertificateWatch(ClientProperties properties, SslBundleRegistry bundles) {
    this.properties = properties;
    this.bundles = bundles;
    this.seen = properties.storeFiles();
  }

  void start() {
    if (!seen.isEmpty()) {
      var _ =
          thread.scheduleWithFixedDelay(this::look, EVERY_SECONDS, EVERY_SECONDS, TimeUnit.SECONDS);
    }
  }

  /** Looks whether a file has changed, and what it holds then. */
  private void look() {
    StoreFiles now = properties.storeFiles();
    if (now.equals(seen)) {
      return;
    }
    seen = now;
    try {
      bundles.updateBundle(
          CertificateConfiguration.KAFKA, bundle(KafkaCertificates.read(properties)));
    } catch (IOException | RuntimeException e) {
      log.warn("The certificates for Kafka have changed and can't be read: {}", e.toString());
    }
  }

  static SslBundle bundle(KafkaCertificates found) {
    return SslBundle.of(SslStoreBundle.of(found.shown(), null, found.trusted()));
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
