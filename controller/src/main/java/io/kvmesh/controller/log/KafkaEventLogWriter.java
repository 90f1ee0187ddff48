package io.kvmesh.controller.log;

import io.kvmesh.common.wire.event.LogEvent;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Writes with one idempotent producer on a thread of its own. */
public final class KafkaEventLogWriter implements EventLogWriter {

  /**
   * Starts the writer; Kafka need not be up.
   *
   * @param kafka properties of Kafka clients, bootstrap.servers among them
   */
  public KafkaEventLogWriter(String cluster, Map<String, Object> kafka) {}

  @Override
  public CompletableFuture<Long> append(LogEvent event) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<Long> append(int partition, LogEvent event) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long failures() {
    return 0;
  }

  @Override
  public void close(Duration timeout) {}
}
