package io.kvmesh.agent.event;

import io.kvmesh.common.key.WorkerId;
import java.time.Duration;

/**
 * How this worker writes to the log.
 *
 * @param worker who it is
 * @param cluster prefix of the topic's name
 * @param bootstrapServers of Kafka, host:port[,host:port]*
 * @param partitions of the topic, if it has to be created
 * @param location name of the cache on the wire
 * @param heartbeatInterval time between heartbeats
 * @param snapshotInterval least time from the end of one snapshot to the walk of the next
 * @param snapshotJitter a snapshot that was asked for begins after a random part of this
 * @param batchDelay how long the first of some events waits for company
 * @param retryDelay pause after Kafka refused something
 */
public record PublisherSettings(
    WorkerId worker,
    String cluster,
    String bootstrapServers,
    int partitions,
    String location,
    Duration heartbeatInterval,
    Duration snapshotInterval,
    Duration snapshotJitter,
    Duration batchDelay,
    Duration retryDelay) {}
