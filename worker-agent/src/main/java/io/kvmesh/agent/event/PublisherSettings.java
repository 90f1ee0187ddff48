package io.kvmesh.agent.event;

import io.kvmesh.common.key.WorkerId;
import java.time.Duration;

/**
 * How this worker writes to the log.
 *
 * @param worker who it is
 * @param location name of the cache on the wire
 * @param heartbeatInterval time between heartbeats
 * @param snapshotInterval least time from the end of one snapshot to the walk of the next
 * @param snapshotJitter a snapshot that was asked for begins after a random part of this
 * @param batchDelay how long the first of some events waits for company
 * @param retryDelay pause after Kafka refused something
 * @param eventsPerRecord most events in a record
 * @param keysPerBatch most chunks in a part of a snapshot, which is cut under the cache's lock
 * @param maxInFlight most records that Kafka has not acknowledged
 */
public record PublisherSettings(
    WorkerId worker,
    String location,
    Duration heartbeatInterval,
    Duration snapshotInterval,
    Duration snapshotJitter,
    Duration batchDelay,
    Duration retryDelay,
    int eventsPerRecord,
    int keysPerBatch,
    int maxInFlight) {

  /** Name of an agent's cache on the wire, as LMCache calls its own. */
  public static final String LOCAL_CPU = "LocalCPUBackend";

  /** Checks the values. */
  public PublisherSettings {
    requirePositive("heartbeatInterval", heartbeatInterval.toNanos());
    requirePositive("retryDelay", retryDelay.toNanos());
    requirePositive("eventsPerRecord", eventsPerRecord);
    requirePositive("keysPerBatch", keysPerBatch);
    requirePositive("maxInFlight", maxInFlight);
  }

  /** The defaults for all but these. */
  public static PublisherSettings of(
      WorkerId worker, Duration heartbeatInterval, Duration snapshotInterval) {
    return new PublisherSettings(
        worker,
        LOCAL_CPU,
        heartbeatInterval,
        snapshotInterval,
        Duration.ofSeconds(5),
        Duration.ofMillis(2),
        Duration.ofSeconds(1),
        500,
        1_000,
        64);
  }

  private static void requirePositive(String name, long value) {
    if (value < 1) {
      throw new IllegalArgumentException("%s is at least 1, got %d".formatted(name, value));
    }
  }
}
