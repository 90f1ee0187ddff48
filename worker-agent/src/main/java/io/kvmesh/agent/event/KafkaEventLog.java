package io.kvmesh.agent.event;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.event.EventTopic;
import io.kvmesh.common.wire.event.LogEvent;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * The log in Kafka. The producer is idempotent and waits for all replicas, so that records neither
 * double nor overtake each other. It is made anew when it has failed for a reason that won't pass.
 */
final class KafkaEventLog implements EventLog {

  private static final int REQUEST_MILLIS = 5_000;
  private static final int DELIVERY_MILLIS = 30_000;
  private static final int MAX_BLOCK_MILLIS = 2_000;
  private static final int BUFFER_BYTES = 16 << 20;
  private static final int BATCH_BYTES = 64 << 10;

  private final KafkaLogSettings settings;
  private final String topic;
  private final byte[] key;
  private final MessageCodec codec = new MessageCodec();

  private @Nullable Admin admin;
  private @Nullable Producer<byte[], byte[]> producer;
  private volatile boolean producerFailed;

  KafkaEventLog(KafkaLogSettings settings, WorkerId worker) {
    this.settings = settings;
    this.topic = EventTopic.name(settings.cluster());
    this.key = EventTopic.key(worker);
  }

  @Override
  public void prepare(Completion completion) {
    try {
      createTopic(admin(), completion);
    } catch (KafkaException unreachable) {
      completion.done(-1, unreachable);
    }
  }

  private void createTopic(Admin client, Completion completion) {
    NewTopic wanted =
        new NewTopic(topic, Optional.of(settings.partitions()), Optional.empty())
            .configs(EventTopic.CONFIG);
    var _ =
        client
            .createTopics(List.of(wanted))
            .all()
            .whenComplete(
                (created, failure) -> completion.done(-1, unlessThereOrForbidden(failure)));
  }

  /** Who may not create topics writes to what is there; if none is, writing tells so. */
  private static @Nullable Throwable unlessThereOrForbidden(@Nullable Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof TopicExistsException || cause instanceof AuthorizationException
        ? null
        : cause;
  }

  @Override
  public void send(LogEvent event, Completion completion) {
    ProducerRecord<byte[], byte[]> message = new ProducerRecord<>(topic, key, codec.encode(event));
    try {
      var _ = producer().send(message, (metadata, failure) -> sent(metadata, failure, completion));
    } catch (KafkaException | IllegalStateException refused) {
      producerFailed = true;
      completion.done(-1, refused);
    }
  }

  private void sent(RecordMetadata metadata, @Nullable Exception failure, Completion completion) {
    if (failure == null) {
      completion.done(metadata.offset(), null);
    } else {
      producerFailed |= !(failure instanceof RetriableException);
      completion.done(-1, failure);
    }
  }

  private Admin admin() {
    if (admin == null) {
      Map<String, Object> config = new HashMap<>(settings.kafka());
      config.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MILLIS);
      config.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, REQUEST_MILLIS);
      admin = Admin.create(config);
    }
    return admin;
  }

  private Producer<byte[], byte[]> producer() {
    closeAdmin();
    if (producerFailed && producer != null) {
      producer.close(Duration.ZERO);
      producer = null;
    }
    if (producer == null) {
      producerFailed = false;
      producer = new KafkaProducer<>(producerConfig());
    }
    return producer;
  }

  private Map<String, Object> producerConfig() {
    Map<String, Object> config = new HashMap<>(settings.kafka());
    config.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    config.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    config.put(ProducerConfig.ACKS_CONFIG, "all");
    config.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    config.put(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
    config.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES);
    config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, MAX_BLOCK_MILLIS);
    config.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MILLIS);
    config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_MILLIS);
    return config;
  }

  /**
   * It isn't needed once the topic is there; idle it would only look for Kafka when that is away.
   */
  private void closeAdmin() {
    if (admin != null) {
      admin.close(Duration.ZERO);
      admin = null;
    }
  }

  @Override
  public void close(Duration atMost) {
    closeAdmin();
    if (producer != null) {
      producer.close(atMost);
    }
  }
}
