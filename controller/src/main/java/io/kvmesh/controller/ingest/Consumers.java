package io.kvmesh.controller.ingest;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Makes the consumers of the log. Positions are set by the readers, never by Kafka. */
final class Consumers {

  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
  private static final int TIMEOUT_MILLIS = 5_000;
  private static final int FETCH_WAIT_MILLIS = 100;
  private static final int MAX_RECORDS = 500;

  private final IngestSettings settings;

  Consumers(IngestSettings settings) {
    this.settings = settings;
  }

  /** One that is told which partitions to read. */
  Consumer<byte[], byte[]> assigned() {
    return new KafkaConsumer<>(properties());
  }

  /** A member of the group that shares the partitions. */
  Consumer<byte[], byte[]> member() {
    Map<String, Object> properties = properties();
    properties.put(ConsumerConfig.GROUP_ID_CONFIG, settings.cluster() + ".index");
    properties.put(
        ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
        CooperativeStickyAssignor.class.getName());
    properties.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, 10_000);
    properties.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, 2_000);
    return new KafkaConsumer<>(properties);
  }

  /** Leaves the group, if it is in one; doesn't wait long for a broker that is away. */
  static void close(Consumer<byte[], byte[]> consumer) {
    consumer.close(CloseOptions.timeout(CLOSE_TIMEOUT));
  }

  private Map<String, Object> properties() {
    Map<String, Object> properties = new HashMap<>(settings.kafka());
    properties.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    properties.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    properties.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, FETCH_WAIT_MILLIS);
    properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MAX_RECORDS);
    properties.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, TIMEOUT_MILLIS);
    properties.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, TIMEOUT_MILLIS);
    properties.put(CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG, 1_000);
    return properties;
  }
}
