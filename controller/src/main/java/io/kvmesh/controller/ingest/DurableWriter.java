package io.kvmesh.controller.ingest;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.index.ChangeOutcome;
import io.kvmesh.controller.index.redis.DurableViewException;
import io.kvmesh.controller.index.redis.RedisIndex;
import io.kvmesh.controller.index.redis.StoredLog;
import io.kvmesh.controller.index.redis.StoredWorker;
import io.kvmesh.controller.log.EventLogTopic;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the owned partitions to the durable view. What it holds decides where a partition is read
 * from: at first, and again after every failure or refusal. A worker of which it holds less than
 * this writer has given it (Redis failed over, or is empty) is read again from there, or from the
 * start of the log; what the log doesn't hold any more, a snapshot brings.
 *
 * <p>While Redis is away nothing is queued: the partitions are paused and the log keeps what is to
 * come. The group member's thread; public state may be read from any.
 */
final class DurableWriter implements PartitionWork {

  private static final Logger log = LoggerFactory.getLogger(DurableWriter.class);

  /** Changes on their way to Redis at a time. */
  private static final int WINDOW = 64;

  private static final long CONTACT_NANOS = Duration.ofSeconds(1).toNanos();
  private static final Duration ENDS_TIMEOUT = Duration.ofSeconds(2);

  private final RedisIndex durable;
  private final WorkerStreams streams;
  private final RecordDecoder decoder;
  private final ReadPositions positions;
  private final Expiry expiry;
  private final IngestCounters counters;
  private final LongSupplier nanos;
  private final DurableAvailability availability;
  private final DurableRepair repair;
  private final DurableAudit audit;
  private final Map<Integer, DurableLane> lanes = new HashMap<>();
  private final Set<WorkerId> forgotten = new HashSet<>();
  private final Set<WorkerId> wanting = ConcurrentHashMap.newKeySet();
  private String topicId = "";
  private long contactNanos;

  private record InFlight(
      DurableLane lane, Decision decision, CompletableFuture<ChangeOutcome> outcome) {}

  DurableWriter(
      RedisIndex durable,
      WorkerStreams streams,
      RecordDecoder decoder,
      ReadPositions positions,
      Expiry expiry,
      IngestCounters counters,
      LongSupplier nanos) {
    this.durable = durable;
    this.streams = streams;
    this.decoder = decoder;
    this.positions = positions;
    this.expiry = expiry;
    this.counters = counters;
    this.nanos = nanos;
    this.repair = new DurableRepair(durable, counters);
    this.availability = new DurableAvailability(counters, nanos);
    this.audit = new DurableAudit(durable.care(), repair);
    this.contactNanos = nanos.getAsLong();
  }

  /** Whether the durable view takes changes. */
  DurableAvailability availability() {
    return availability;
  }

  /** What Redis does when its memory is full, as it was read last. */
  String evictionPolicy() {
    return repair.evictionPolicy();
  }

  /** Whether the durable view's keys of the worker may be wrong, as far as this owner knows. */
  boolean isSnapshotWanted(WorkerId worker) {
    return wanting.contains(worker);
  }

  @Override
  public void begin(EventLogTopic.Description topic) {
    topicId = topic.id();
    durable.use(topicId);
  }

  @Override
  public void assigned(Consumer<byte[], byte[]> consumer, Collection<TopicPartition> partitions) {
    partitions.forEach(partition -> lanes.put(partition.partition(), new DurableLane(partition)));
  }

  @Override
  public void revoked(Collection<TopicPartition> partitions) {
    for (TopicPartition partition : partitions) {
      lanes.remove(partition.partition());
      positions.remove(partition.partition());
      forget(partition.partition());
    }
  }

  private void forget(int partition) {
    streams.of(partition).forEach(stream -> wanting.remove(stream.id()));
    streams.forget(List.of(partition));
  }

  @Override
  public void turn(Consumer<byte[], byte[]> consumer, ConsumerRecords<byte[], byte[]> records) {
    write(records);
    try {
      advance(records);
      load(consumer);
      keepInTouch(consumer);
    } catch (DurableViewException e) {
      failed(e);
      repair.all(e, topicId);
    }
    pauseFailed(consumer);
    expire();
  }

  // ---- loading

  private void load(Consumer<byte[], byte[]> consumer) {
    for (DurableLane lane : lanes.values()) {
      if (!lane.loaded && availability.mayTry()) {
        load(consumer, lane);
        availability.succeeded();
      }
    }
  }

  private void load(Consumer<byte[], byte[]> consumer, DurableLane lane) {
    TopicPartition partition = lane.partition;
    forget(lane.number());
    StoredLog stored = storedLog();
    Map<WorkerId, Long> offsets = resumeWorkers(lane);
    long first = only(consumer.beginningOffsets(List.of(partition)));
    long end = only(consumer.endOffsets(List.of(partition)));
    long next = stored.next().getOrDefault(lane.number(), first);
    long start = next;
    for (WorkerId worker : lane.refused) {
      start = Math.min(start, offsets.containsKey(worker) ? offsets.get(worker) + 1 : first);
    }
    if (start < first || start > end) {
      log.warn("{} has no offset {}: its workers are suspect", partition, start);
      counters.truncated.increment();
      streams.of(lane.number()).forEach(WorkerStream::suspect);
      start = Math.clamp(start, first, end);
    }
    lane.life = stored.life();
    // Also where nothing changes: only so it is known whether changes are taken.
    if (!durable.advance(lane.number(), start, lane.life)) {
      throw DurableViewException.unavailable("Redis has lost the view while it was being read");
    }
    log.info("{} goes on in the durable view at offset {} of {}", partition, start, end);
    positions.start(lane.number(), start);
    positions.end(lane.number(), end, nanos.getAsLong());
    consumer.seek(partition, start);
    consumer.resume(List.of(partition));
    counters.reloads.increment();
    lane.refused.clear();
    lane.failed = false;
    lane.loaded = true;
  }

  private StoredLog storedLog() {
    StoredLog stored = durable.readLog();
    if (!stored.topic().equals(topicId)) {
      log.info("The durable view begins anew: it holds nothing of topic {}", topicId);
      durable.begin(topicId);
      stored = durable.readLog();
    }
    return stored;
  }

  /** Goes on with the partition's workers; the offset of each. */
  private Map<WorkerId, Long> resumeWorkers(DurableLane lane) {
    Map<WorkerId, Long> offsets = new HashMap<>();
    durable
        .listWorkers()
        .forEach(
            (worker, itsPartition) -> {
              if (itsPartition == lane.number()) {
                Optional<StoredWorker> read =
                    repair.readable(worker, () -> durable.readWorker(worker));
                StoredWorker stored = read == null ? null : read.orElse(null);
                if (read == null) {
                  lane.refused.add(worker);
                } else if (stored == null || !stored.topic().equals(topicId)) {
                  durable.drop(worker);
                } else {
                  streams.resume(worker, stored.progress(), stored.totals());
                  offsets.put(worker, stored.progress().offset());
                }
              }
            });
    return offsets;
  }

  private static long only(Map<TopicPartition, Long> offsets) {
    return offsets.values().iterator().next();
  }

  // ---- writing

  private void write(ConsumerRecords<byte[], byte[]> records) {
    Deque<InFlight> inFlight = new ArrayDeque<>();
    for (TopicPartition partition : records.partitions()) {
      DurableLane lane = lanes.get(partition.partition());
      for (ConsumerRecord<byte[], byte[]> record : records.records(partition)) {
        if (lane == null || !lane.loaded || lane.failed) {
          break;
        }
        if (inFlight.size() >= WINDOW) {
          settle(inFlight.remove());
        }
        send(lane, record, inFlight);
      }
    }
    inFlight.forEach(this::settle);
  }

  private void send(
      DurableLane lane, ConsumerRecord<byte[], byte[]> record, Deque<InFlight> inFlight) {
    LogRecord decoded = decoder.decode(record);
    if (decoded == null) {
      return;
    }
    try {
      Decision decision = streams.decide(decoded);
      if (decision != null) {
        inFlight.add(new InFlight(lane, decision, durable.submit(decision.change())));
      }
    } catch (IllegalArgumentException e) {
      decoder.garbage(record, e.getMessage());
    } catch (DurableViewException e) {
      lane.failed = true;
      failed(e);
    }
  }

  private void settle(InFlight sent) {
    try {
      switch (sent.outcome().join()) {
        case ChangeOutcome.Applied applied -> {
          sent.decision().stream().settle(sent.decision(), applied);
          if (sent.decision().change().forget()) {
            forgotten.add(sent.decision().change().worker());
          }
        }
        case ChangeOutcome.Refused(long held) -> refused(sent, held);
      }
    } catch (CompletionException e) {
      failed(sent, e);
    }
  }

  private void failed(InFlight sent, CompletionException e) {
    sent.lane().failed = true;
    WorkerId worker = sent.decision().change().worker();
    DurableViewException left = repair.unrepaired(worker, e);
    if (left == null) {
      sent.lane().refused.add(worker);
    } else {
      failed(left);
    }
  }

  private void refused(InFlight sent, long held) {
    counters.refused.increment();
    WorkerId worker = sent.decision().change().worker();
    if (sent.lane().refused.add(worker)) {
      log.warn(
          "The durable view holds offset {} of worker {}, not {}: {} is read again from there",
          held,
          worker,
          sent.decision().change().expectedOffset(),
          sent.lane().partition);
    }
    sent.lane().failed = true;
  }

  /** What was read has been applied: others may go on from there. */
  private void advance(ConsumerRecords<byte[], byte[]> records) {
    // Those that have come back in the same batch stay listed.
    forgotten.removeIf(streams::knows);
    forgotten.forEach(durable::unlist);
    forgotten.clear();
    for (TopicPartition partition : records.partitions()) {
      DurableLane lane = lanes.get(partition.partition());
      if (lane != null && lane.loaded && !lane.failed) {
        List<ConsumerRecord<byte[], byte[]>> batch = records.records(partition);
        long next = batch.getLast().offset() + 1;
        if (durable.advance(lane.number(), next, lane.life)) {
          availability.succeeded();
          positions.applied(lane.number(), next, batch.getLast().timestamp());
          noticeSuspects(lane.number());
        } else {
          lost(lane);
        }
      }
    }
  }

  private void noticeSuspects(int partition) {
    boolean current = positions.isAtEnd(partition);
    for (WorkerStream stream : streams.of(partition)) {
      if (current && stream.isSuspect()) {
        wanting.add(stream.id());
      } else {
        wanting.remove(stream.id());
      }
    }
  }

  private void pauseFailed(Consumer<byte[], byte[]> consumer) {
    for (DurableLane lane : lanes.values()) {
      if (lane.failed && lane.loaded) {
        lane.loaded = false;
        consumer.pause(List.of(lane.partition));
      }
    }
  }

  // ---- contact

  private void keepInTouch(Consumer<byte[], byte[]> consumer) {
    long now = nanos.getAsLong();
    if (now - contactNanos < CONTACT_NANOS || !availability.mayTry()) {
      return;
    }
    contactNanos = now;
    try {
      consumer
          .endOffsets(consumer.assignment(), ENDS_TIMEOUT)
          .forEach((partition, end) -> positions.end(partition.partition(), end, now));
    } catch (TimeoutException e) {
      log.debug("Kafka doesn't answer: {}", e.getMessage());
    }
    StoredLog stored = durable.readLog();
    if (lanes.isEmpty()) {
      availability.succeeded();
    }
    lanes.values().stream()
        .filter(lane -> !stored.topic().equals(topicId) || !stored.life().equals(lane.life))
        .forEach(DurableWriter::lost);
    audit.check(lanes.values(), streams);
  }

  /** All of the view is lost, or somebody has begun anew: what comes next may be long in coming. */
  private static void lost(DurableLane lane) {
    lane.failed = true;
  }

  private void failed(DurableViewException e) {
    availability.failed(e);
    lanes.values().forEach(lane -> lane.failed = true);
  }

  private void expire() {
    for (DurableLane lane : lanes.values()) {
      if (lane.loaded && positions.isAtEnd(lane.number())) {
        expiry.check(streams, lane.number());
      }
    }
  }
}
