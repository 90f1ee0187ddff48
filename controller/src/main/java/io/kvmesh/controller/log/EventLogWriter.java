package io.kvmesh.controller.log;

import io.kvmesh.common.wire.event.LogEvent;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Writes records to the event log. Never blocks its caller: what can't be queued is refused and
 * counted. Any thread.
 */
public interface EventLogWriter extends AutoCloseable {

  /**
   * Appends a worker's event in the worker's partition, after all events that were given before.
   *
   * @return the record's offset, once the log has it; fails with {@link LogUnavailableException}
   */
  CompletableFuture<Long> append(LogEvent event);

  /** Appends an event that is of no worker to a partition. */
  CompletableFuture<Long> append(int partition, LogEvent event);

  /**
   * Whether more of what its sender can hold back should be given now. What is given all the same
   * is taken as long as there is any room: that is kept for what can't wait.
   */
  boolean hasRoom();

  /** Number of events that the log didn't take. */
  long failures();

  /** Waits for what is queued, at most as long as given. */
  void close(Duration timeout);

  @Override
  default void close() {
    close(Duration.ofSeconds(5));
  }
}
