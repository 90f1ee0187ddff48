package io.kvmesh.controller.ingest;

import java.time.Duration;
import java.util.Map;

/**
 * Settings of {@link LogIngest}.
 *
 * @param cluster prefix of topic, group and Redis keys
 * @param kafka properties of Kafka clients, bootstrap.servers among them
 * @param partitions of the topic, if it has to be created
 * @param replicationFactor of the topic, if it has to be created; −1 = the broker's default
 * @param heartbeatInterval of Tick records, and the one that agents are expected to keep
 * @param silentAfter time without a sign of life until a worker is hidden from lookups
 * @param expireAfter time without a sign of life until a worker is dropped
 * @param syncTimeout a foreign worker's full sync that is silent for longer is given up
 * @param maxWaiters barriers that may wait at a time
 */
public record IngestSettings(
    String cluster,
    Map<String, Object> kafka,
    int partitions,
    int replicationFactor,
    Duration heartbeatInterval,
    Duration silentAfter,
    Duration expireAfter,
    Duration syncTimeout,
    int maxWaiters) {

  /** Checks the order of the times. */
  public IngestSettings {
    kafka = Map.copyOf(kafka);
    if (heartbeatInterval.isNegative() || heartbeatInterval.isZero()) {
      throw new IllegalArgumentException("heartbeatInterval must be positive");
    }
    if (silentAfter.compareTo(heartbeatInterval) <= 0 || expireAfter.compareTo(silentAfter) <= 0) {
      throw new IllegalArgumentException(
          "heartbeatInterval %s < silentAfter %s < expireAfter %s must hold"
              .formatted(heartbeatInterval, silentAfter, expireAfter));
    }
  }
}
