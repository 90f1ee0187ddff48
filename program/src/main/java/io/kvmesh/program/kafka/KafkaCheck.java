package io.kvmesh.program.kafka;

import java.io.IOException;
import java.time.Duration;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;

/** Whether Kafka's clients can do with what they are given. */
public final class KafkaCheck {

  static final String NOBODY = "127.0.0.1:9";

  private KafkaCheck() {}

  /**
   * Reads keys and certificates, and where that asks nobody makes a client and closes it before it
   * has connected.
   *
   * @throws IOException if it can't be made
   */
  public static void check(ClientProperties properties) throws IOException {
    KafkaCertificates.read(properties);
    if (properties.values().isEmpty() || !properties.needNobody()) {
      return;
    }
    try (Admin admin = Admin.create(properties.with(NOBODY))) {
      admin.close(Duration.ZERO);
    } catch (KafkaException e) {
      throw new IOException(innermost(e).getMessage(), e);
    }
  }

  static Throwable innermost(Throwable e) {
    Throwable cause = e.getCause();
    return cause == null ? e : innermost(cause);
  }
}
