package io.kvmesh.controller.ingest;

import io.kvmesh.common.wire.event.Tick;
import io.kvmesh.controller.log.EventLogTopic;
import io.kvmesh.controller.log.EventLogWriter;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This controller's member of the group that shares the partitions. The owner of a partition writes
 * a tick to it at every heartbeat interval, so that its time goes on though nobody else writes, and
 * does the partition's work.
 */
final class GroupMember {

  private static final Logger log = LoggerFactory.getLogger(GroupMember.class);
  private static final Duration POLL = Duration.ofMillis(50);

  private final EventLogTopic topic;
  private final Consumers consumers;
  private final OwnedPartitions owned;
  private final Supplier<EventLogTopic.@Nullable Description> described;
  private final PartitionWork work;
  private final EventLogWriter writer;
  private final TickDelays delays;
  private final long intervalNanos;
  private final LongSupplier nanos;
  private long tickedNanos;

  /**
   * A member that hasn't joined yet.
   *
   * @param described the topic as another reader has seen it last
   */
  GroupMember(
      EventLogTopic topic,
      Consumers consumers,
      OwnedPartitions owned,
      Supplier<EventLogTopic.@Nullable Description> described,
      PartitionWork work,
      EventLogWriter writer,
      TickDelays delays,
      Duration heartbeatInterval,
      LongSupplier nanos) {
    this.topic = topic;
    this.consumers = consumers;
    this.owned = owned;
    this.described = described;
    this.work = work;
    this.writer = writer;
    this.delays = delays;
    this.intervalNanos = heartbeatInterval.toNanos();
    this.nanos = nanos;
    this.tickedNanos = nanos.getAsLong();
  }

  /** Is a member until the thread is closing. */
  void run(ReaderThread thread) throws InterruptedException {
    EventLogTopic.Description found = topic.ensure();
    work.begin(found);
    Consumer<byte[], byte[]> consumer = consumers.member();
    try {
      consumer.subscribe(List.of(topic.name()), new Rebalance(consumer));
      while (!thread.isClosing()) {
        work.turn(consumer, consumer.poll(POLL));
        tick();
        requireSame(found);
      }
    } finally {
      Consumers.close(consumer);
      revoke(owned.all().stream().map(p -> new TopicPartition(topic.name(), p)).toList());
    }
  }

  private void requireSame(EventLogTopic.Description found) {
    EventLogTopic.Description latest = described.get();
    if (latest != null && !latest.equals(found)) {
      throw new IllegalStateException("Topic %s is another one".formatted(topic.name()));
    }
  }

  private void tick() {
    long now = nanos.getAsLong();
    if (now - tickedNanos < intervalNanos) {
      return;
    }
    tickedNanos = now;
    for (int partition : owned.all()) {
      // A tick that the log doesn't take is counted by the writer; the next one follows.
      var _ =
          writer
              .append(partition, new Tick())
              .thenAccept(offset -> delays.written(partition, offset, now));
    }
  }

  private void revoke(Collection<TopicPartition> partitions) {
    if (!partitions.isEmpty()) {
      log.info("No longer the owner of {}", partitions);
      owned.remove(partitions.stream().map(TopicPartition::partition).toList());
      work.revoked(partitions);
    }
  }

  private final class Rebalance implements ConsumerRebalanceListener {

    private final Consumer<byte[], byte[]> consumer;

    Rebalance(Consumer<byte[], byte[]> consumer) {
      this.consumer = consumer;
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
      if (partitions.isEmpty()) {
        return;
      }
      log.info("Owner of {}", partitions);
      consumer.pause(partitions);
      // Somewhere, so that Kafka doesn't look for a committed offset: there is none.
      partitions.forEach(partition -> consumer.seek(partition, 0));
      owned.add(partitions.stream().map(TopicPartition::partition).toList());
      work.assigned(consumer, partitions);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
      revoke(partitions);
    }
  }
}
