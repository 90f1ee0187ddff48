package io.kvmesh.controller.log;

import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.event.EventTopic;
import io.kvmesh.common.wire.event.LogEvent;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Writes with one idempotent producer. A thread of its own gives it the events, since the producer
 * blocks while it has no broker; what waits too long there is refused.
 */
public final class KafkaEventLogWriter implements EventLogWriter {

  private static final int QUEUE = 10_000;

  /** Enough for the producer to fill its requests; a quarter of what it has room for. */
  private static final long MAX_UNWRITTEN_BYTES = 8 << 20;

  private static final long MAX_QUEUED_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int MAX_BLOCK_MILLIS = 2_000;
  private static final int REQUEST_TIMEOUT_MILLIS = 5_000;
  private static final int DELIVERY_TIMEOUT_MILLIS = 10_000;

  private final String topic;
  private final Map<String, Object> properties;
  private final MessageCodec codec = new MessageCodec();
  private final LongAdder failures = new LongAdder();

  /** Bytes of the events that the log has neither taken nor refused yet. */
  private final AtomicLong unwrittenBytes = new AtomicLong();

  private final ThreadPoolExecutor thread =
      new ThreadPoolExecutor(
          1,
          1,
          0,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(QUEUE),
          Thread.ofPlatform().name("kvmesh-log-writer").daemon().factory());

  /** Made by its thread on the first event; that thread's until it has ended. */
  private @Nullable Producer<byte[], byte[]> producer;

  /**
   * A writer; Kafka need not be up.
   *
   * @param kafka properties of Kafka clients, bootstrap.servers among them
   */
  public KafkaEventLogWriter(String cluster, Map<String, Object> kafka) {
    this.topic = EventTopic.name(cluster);
    this.properties = new HashMap<>(kafka);
    properties.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    properties.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    properties.put(ProducerConfig.ACKS_CONFIG, "all");
    properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    properties.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, MAX_BLOCK_MILLIS);
    properties.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_TIMEOUT_MILLIS);
    properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_TIMEOUT_MILLIS);
  }

  @Override
  public CompletableFuture<Long> append(LogEvent event) {
    return append(new ProducerRecord<>(topic, EventTopic.key(event.worker()), codec.encode(event)));
  }

  @Override
  public CompletableFuture<Long> append(int partition, LogEvent event) {
    return append(new ProducerRecord<>(topic, partition, null, codec.encode(event)));
  }

  private CompletableFuture<Long> append(ProducerRecord<byte[], byte[]> record) {
    long bytes = record.value().length;
    unwrittenBytes.addAndGet(bytes);
    CompletableFuture<Long> offset = new CompletableFuture<>();
    var unused = offset.whenComplete((at, failure) -> unwrittenBytes.addAndGet(-bytes));
    long queuedNanos = System.nanoTime();
    try {
      thread.execute(() -> send(record, queuedNanos, offset));
    } catch (RejectedExecutionException e) {
      fail(offset, e);
    }
    return offset;
  }

  // The producer's own future tells no more than the callback does.
  @SuppressWarnings("FutureReturnValueIgnored")
  private void send(
      ProducerRecord<byte[], byte[]> record, long queuedNanos, CompletableFuture<Long> offset) {
    if (System.nanoTime() - queuedNanos > MAX_QUEUED_NANOS) {
      fail(offset, new TimeoutException("Waited too long for the event log"));
      return;
    }
    try {
      producer()
          .send(
              record,
              (metadata, failure) -> {
                if (failure == null) {
                  offset.complete(metadata.offset());
                } else {
                  fail(offset, failure);
                }
              });
    } catch (RuntimeException e) {
      fail(offset, e);
    }
  }

  private Producer<byte[], byte[]> producer() {
    if (producer == null) {
      producer = new KafkaProducer<>(properties);
    }
    return producer;
  }

  private void fail(CompletableFuture<Long> offset, Exception cause) {
    failures.increment();
    offset.completeExceptionally(
        new LogUnavailableException("The event log took no record: " + cause, cause));
  }

  @Override
  public boolean hasRoom() {
    return unwrittenBytes.get() < MAX_UNWRITTEN_BYTES && thread.getQueue().size() < QUEUE / 2;
  }

  @Override
  public long failures() {
    return failures.sum();
  }

  @Override
  public void close(Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    thread.shutdown();
    boolean interrupted = false;
    try {
      if (!thread.awaitTermination(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
        thread.shutdownNow();
      }
    } catch (InterruptedException e) {
      thread.shutdownNow();
      interrupted = true;
    }
    Producer<byte[], byte[]> last = producer;
    if (last != null) {
      last.close(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
