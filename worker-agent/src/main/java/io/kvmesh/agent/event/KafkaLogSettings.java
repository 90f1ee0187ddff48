package io.kvmesh.agent.event;

/**
 * Where the log is.
 *
 * @param bootstrapServers host:port[,host:port]*
 * @param cluster prefix of the topic's name
 * @param partitions of the topic, if it has to be created
 */
public record KafkaLogSettings(String bootstrapServers, String cluster, int partitions) {}
