package io.kvmesh.agent.event;

import java.util.Map;

/**
 * Where the log is.
 *
 * @param kafka properties of Kafka clients, bootstrap.servers among them
 * @param cluster prefix of the topic's name
 * @param partitions of the topic, if it has to be created
 */
public record KafkaLogSettings(Map<String, Object> kafka, String cluster, int partitions) {

  public KafkaLogSettings {
    kafka = Map.copyOf(kafka);
  }
}
