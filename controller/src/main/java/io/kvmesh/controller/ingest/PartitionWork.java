package io.kvmesh.controller.ingest;

import io.kvmesh.controller.log.EventLogTopic;
import java.util.Collection;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;

/** What the owner of partitions does with them. All calls come from the group member's thread. */
interface PartitionWork {

  /** The partitions are of this topic, until said otherwise. */
  void begin(EventLogTopic.Description topic);

  /** The partitions are this member's now; they are paused, and have no position worth anything. */
  void assigned(Consumer<byte[], byte[]> consumer, Collection<TopicPartition> partitions);

  /** They aren't any more. */
  void revoked(Collection<TopicPartition> partitions);

  /** A turn of the member's loop, with what was read. */
  void turn(Consumer<byte[], byte[]> consumer, ConsumerRecords<byte[], byte[]> records);

  /** Membership alone: without a durable view there is nothing to be written. */
  final class None implements PartitionWork {

    @Override
    public void begin(EventLogTopic.Description topic) {}

    @Override
    public void assigned(
        Consumer<byte[], byte[]> consumer, Collection<TopicPartition> partitions) {}

    @Override
    public void revoked(Collection<TopicPartition> partitions) {}

    @Override
    public void turn(Consumer<byte[], byte[]> consumer, ConsumerRecords<byte[], byte[]> records) {}
  }
}
