package io.kvmesh.agent.event;

import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.event.EventTopic;
import io.kvmesh.common.wire.event.LogEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads the log of a fleet from its beginning, as a view does. */
final class LogReader implements AutoCloseable {

  final LogView view = new LogView();
  final List<LogEvent> records = new ArrayList<>();
  private final MessageCodec codec = new MessageCodec();
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final String topic;

  LogReader(String bootstrapServers, String cluster) {
    topic = EventTopic.name(cluster);
    consumer =
        new KafkaConsumer<>(
            Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                ByteArrayDeserializer.class,
                ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                ByteArrayDeserializer.class,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest"));
  }

  /** Applies what has come since; the topic may not be there yet. */
  void read() {
    if (consumer.assignment().isEmpty()) {
      List<PartitionInfo> partitions =
          consumer.listTopics(Duration.ofSeconds(5)).getOrDefault(topic, List.of());
      consumer.assign(
          partitions.stream().map(each -> new TopicPartition(topic, each.partition())).toList());
      if (partitions.isEmpty()) {
        return;
      }
    }
    for (ConsumerRecord<byte[], byte[]> each : consumer.poll(Duration.ofMillis(50))) {
      apply(each);
    }
  }

  private void apply(ConsumerRecord<byte[], byte[]> each) {
    if (each.timestampType() != TimestampType.LOG_APPEND_TIME) {
      throw new AssertionError("timestamps are the writer's");
    }
    try {
      LogEvent event = codec.decode(LogEvent.class, each.value());
      records.add(event);
      view.apply(event, each.offset());
    } catch (WireFormatException garbage) {
      throw new AssertionError(garbage);
    }
  }

  @Override
  public void close() {
    consumer.close();
  }
}
