package io.kvmesh.controller.ingest;

import io.kvmesh.controller.log.EventLogTopic;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongBinaryOperator;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads every partition into the view in memory. It begins with what the durable view holds, or
 * with the oldest record that the log has, and is ready once it has reached the end that the log
 * had then. One thread; the public state may be read from any.
 */
final class ViewReader {

  private static final Logger log = LoggerFactory.getLogger(ViewReader.class);
  private static final Duration POLL = Duration.ofMillis(50);
  private static final Duration ENDS_TIMEOUT = Duration.ofSeconds(2);
  private static final long ENDS_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long SWEEP_NANOS = Duration.ofMillis(2).toNanos();

  private final EventLogTopic topic;
  private final Consumers consumers;
  private final MemoryApplier applier;
  private final MemoryFeed feed;
  private final ViewProgress progress;
  private final ReadPositions positions;
  private final CatchUps catchUps;
  private final Expiry expiry;
  private final Supplier<Set<Integer>> expiring;
  private final Start start;
  private final IngestCounters counters;
  private final LongSupplier nanos;

  private volatile EventLogTopic.@Nullable Description read;
  private Map<Integer, Long> readyAt = Map.of();
  private long endsAskedNanos;
  private volatile boolean ready;
  private volatile boolean logReachable;

  /** Where the view begins. */
  interface Start {

    /**
     * Fills the empty view with what is known without the log.
     *
     * @return offset of the next record to be applied, of each partition that isn't to be read from
     *     its start
     */
    Map<Integer, Long> load(EventLogTopic.Description topic, MemoryApplier into)
        throws InterruptedException;
  }

  /**
   * A reader that isn't running yet.
   *
   * @param expiring the partitions whose workers it writes off
   */
  ViewReader(
      EventLogTopic topic,
      Consumers consumers,
      MemoryApplier applier,
      RecordDecoder decoder,
      ViewProgress progress,
      Expiry expiry,
      Supplier<Set<Integer>> expiring,
      Start start,
      IngestCounters counters,
      LongSupplier nanos) {
    this.topic = topic;
    this.consumers = consumers;
    this.applier = applier;
    this.feed = new MemoryFeed(applier, decoder, counters);
    this.progress = progress;
    this.positions = progress.positions();
    this.catchUps = progress.catchUps();
    this.expiry = expiry;
    this.expiring = expiring;
    this.start = start;
    this.counters = counters;
    this.nanos = nanos;
  }

  /** Whether the view is whole. */
  boolean isReady() {
    return ready;
  }

  /** Whether the broker has answered lately. */
  boolean isLogReachable() {
    return logReachable;
  }

  /** The topic that it reads; null until it does. */
  EventLogTopic.@Nullable Description topic() {
    return read;
  }

  /** How far it is; null until it is ready. */
  DurableProgress.@Nullable Goal goal() {
    EventLogTopic.Description found = read;
    return found == null || !ready
        ? null
        : new DurableProgress.Goal(
            found.id(),
            IntStream.range(0, found.partitions())
                .boxed()
                .collect(Collectors.toMap(Function.identity(), positions::next)));
  }

  /** Reads until the thread is closing; ends with an exception when the log doesn't answer. */
  void run(ReaderThread thread) throws InterruptedException {
    try {
      follow(thread, topic.ensure());
    } finally {
      logReachable = false;
    }
  }

  private void follow(ReaderThread thread, EventLogTopic.Description found)
      throws InterruptedException {
    Consumer<byte[], byte[]> consumer = consumers.assigned();
    try {
      begin(consumer, found);
      while (!thread.isClosing()) {
        ConsumerRecords<byte[], byte[]> records = poll(consumer);
        apply(records);
        applier.publish();
        noticeReady();
        askForEnds(consumer);
        progress.check();
        expire();
        sweep(records.isEmpty());
        requireSame(found);
      }
    } finally {
      Consumers.close(consumer);
    }
  }

  private void requireSame(EventLogTopic.Description found) {
    EventLogTopic.Description latest = topic.latest();
    if (latest != null && !latest.equals(found)) {
      throw new IllegalStateException("Topic %s is another one".formatted(topic.name()));
    }
  }

  /** Loads the view, unless it has been following this very topic; then it goes on. */
  private void begin(Consumer<byte[], byte[]> consumer, EventLogTopic.Description found)
      throws InterruptedException {
    List<TopicPartition> partitions = partitions(found);
    consumer.assign(partitions);
    EventLogTopic.Description before = read;
    if (!found.equals(before)) {
      if (before != null) {
        log.warn("Topic {} is another one ({}): the view begins anew", topic.name(), found);
      }
      ready = false;
      read = null;
      applier.clear();
      positions.clear();
      Map<Integer, Long> loaded = start.load(found, applier);
      consumer
          .beginningOffsets(partitions)
          .forEach(
              (p, first) ->
                  positions.start(p.partition(), loaded.getOrDefault(p.partition(), first)));
      read = found;
    }
    fitIntoLog(consumer, partitions);
    partitions.forEach(p -> consumer.seek(p, positions.next(p.partition())));
    readyAt = ends(consumer, partitions);
    applier.publish();
  }

  private List<TopicPartition> partitions(EventLogTopic.Description of) {
    return IntStream.range(0, of.partitions())
        .mapToObj(p -> new TopicPartition(topic.name(), p))
        .toList();
  }

  /** What the log no longer holds, or doesn't hold yet, is passed over; its workers are suspect. */
  private void fitIntoLog(Consumer<byte[], byte[]> consumer, Collection<TopicPartition> which) {
    consumer.beginningOffsets(which).forEach((p, first) -> goOnAt(p, Math::max, first));
    consumer.endOffsets(which).forEach((p, end) -> goOnAt(p, Math::min, end));
  }

  private void goOnAt(TopicPartition p, LongBinaryOperator fit, long bound) {
    long next = positions.next(p.partition());
    long fitting = fit.applyAsLong(next, bound);
    if (fitting != next) {
      log.warn("{} has no offset {}: the view goes on at {}", p, next, fitting);
      counters.truncated.increment();
      positions.start(p.partition(), fitting);
      applier.suspect(p.partition());
    }
  }

  private ConsumerRecords<byte[], byte[]> poll(Consumer<byte[], byte[]> consumer) {
    try {
      return consumer.poll(POLL);
    } catch (OffsetOutOfRangeException e) {
      // The next turn looks at what topic it is, and fits the positions into it.
      throw new IllegalStateException("The log has moved on: " + e.getMessage(), e);
    }
  }

  private void apply(ConsumerRecords<byte[], byte[]> records) {
    for (TopicPartition partition : records.partitions()) {
      List<ConsumerRecord<byte[], byte[]>> batch = records.records(partition);
      batch.forEach(feed::apply);
      positions.applied(
          partition.partition(), batch.getLast().offset() + 1, batch.getLast().timestamp());
    }
  }

  private void askForEnds(Consumer<byte[], byte[]> consumer) {
    boolean wanted = catchUps.ask();
    long now = nanos.getAsLong();
    if (!wanted && now - endsAskedNanos < ENDS_NANOS) {
      return;
    }
    var _ = ends(consumer, consumer.assignment());
  }

  private Map<Integer, Long> ends(
      Consumer<byte[], byte[]> consumer, Collection<TopicPartition> partitions) {
    long asked = nanos.getAsLong();
    endsAskedNanos = asked;
    Map<Integer, Long> ends = new HashMap<>();
    consumer
        .endOffsets(partitions, ENDS_TIMEOUT)
        .forEach((partition, end) -> ends.put(partition.partition(), end));
    if (ends.entrySet().stream().anyMatch(e -> e.getValue() < positions.next(e.getKey()))) {
      throw new IllegalStateException("The log is shorter than it was");
    }
    ends.forEach((partition, end) -> positions.end(partition, end, asked));
    catchUps.ends(ends);
    if (!logReachable) {
      log.info("Kafka answers");
    }
    logReachable = true;
    return ends;
  }

  private void noticeReady() {
    if (!ready && positions.haveReached(readyAt)) {
      ready = true;
      log.info("The view in memory has reached the end of the log");
    }
  }

  private void expire() {
    for (int partition : expiring.get()) {
      if (positions.isAtEnd(partition)) {
        expiry.check(applier.streams(), partition);
      }
    }
  }

  private void sweep(boolean idle) {
    long until = nanos.getAsLong() + (idle ? 10 * SWEEP_NANOS : SWEEP_NANOS);
    while (applier.index().sweep() && nanos.getAsLong() < until) {
      // Each call frees a part.
    }
  }
}
