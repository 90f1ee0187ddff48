package io.kvmesh.controller.ingest;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Tick;
import io.kvmesh.common.wire.event.WorkerDown;
import io.kvmesh.controller.index.KeyTotals;
import io.kvmesh.controller.index.WorkerProgress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The streams of all workers that a reader knows, and the time of its partitions. Belongs to the
 * reader's thread.
 */
final class WorkerStreams {

  private static final int MAX_KEYSPACES = 4096;

  private final Liveness liveness;
  private final IngestCounters counters;
  private final Map<WorkerId, Known> workers = new HashMap<>();
  private final Map<Integer, PartitionClock> clocks = new HashMap<>();
  private final Map<String, Keyspace> keyspaces = new HashMap<>();

  /**
   * When a worker counts as gone.
   *
   * @param longestStep what a longer gap between two records of a partition counts as
   * @param syncTimeout a foreign worker's full sync that is silent for longer is given up
   */
  record Liveness(
      Duration silentAfter, Duration expireAfter, Duration longestStep, Duration syncTimeout) {

    static Liveness of(IngestSettings settings) {
      return new Liveness(
          settings.silentAfter(),
          settings.expireAfter(),
          settings.heartbeatInterval().multipliedBy(2),
          settings.syncTimeout());
    }
  }

  /** A worker, and the time of its partition when it last gave a sign of life. */
  private static final class Known {

    private final WorkerStream stream;
    private long seenMillis;

    Known(WorkerStream stream, long seenMillis) {
      this.stream = stream;
      this.seenMillis = seenMillis;
    }
  }

  WorkerStreams(Liveness liveness, IngestCounters counters) {
    this.liveness = liveness;
    this.counters = counters;
  }

  /**
   * What the record changes; null if nothing.
   *
   * @throws IllegalArgumentException if it is no record that a worker may write there
   */
  @Nullable Decision decide(LogRecord record) {
    PartitionClock clock = clock(record.partition());
    clock.advance(record.timestampMillis());
    if (record.event() instanceof Tick) {
      return null;
    }
    WorkerId id = record.event().worker();
    Known known = workers.get(id);
    if (known == null) {
      if (record.event() instanceof WorkerDown) {
        return null;
      }
      known = new Known(newStream(id, record.partition()), clock.millis());
    }
    return decide(id, record, known, clock);
  }

  private @Nullable Decision decide(
      WorkerId id, LogRecord record, Known known, PartitionClock clock) {
    if (known.stream.partition() != record.partition()) {
      throw new IllegalArgumentException(
          "Worker %s is on partition %d".formatted(known.stream.id(), known.stream.partition()));
    }
    if (record.offset() <= known.stream.offset()) {
      return null;
    }
    Decision decision = known.stream.decide(record);
    if (decision == null) {
      return null;
    }
    known.seenMillis = clock.millis();
    if (decision.change().forget()) {
      workers.remove(id);
    } else {
      workers.putIfAbsent(id, known);
    }
    return decision;
  }

  /** Goes on with a worker where another reader stopped. */
  void resume(WorkerId id, WorkerProgress progress, Map<String, KeyTotals> totals) {
    WorkerStream stream = newStream(id, progress.partition());
    stream.resume(progress, totals);
    workers.put(id, new Known(stream, clock(progress.partition()).millis()));
  }

  private WorkerStream newStream(WorkerId id, int partition) {
    return new WorkerStream(
        id, partition, liveness.syncTimeout().toMillis(), counters, this::keyspace);
  }

  /** The worker's stream, if it is known. */
  @Nullable WorkerStream stream(WorkerId id) {
    Known known = workers.get(id);
    return known == null ? null : known.stream;
  }

  /** The streams of a partition's workers. */
  List<WorkerStream> of(int partition) {
    return streams(known -> known.stream.partition() == partition);
  }

  /** Whether lookups must pass the worker over. */
  boolean isSilent(WorkerStream stream) {
    Known known = workers.get(stream.id());
    return known != null && isSilentFor(known, liveness.silentAfter());
  }

  /** The partition's workers that have been silent for so long that they are to be written off. */
  List<WorkerStream> expired(int partition) {
    return streams(
        known ->
            known.stream.partition() == partition && isSilentFor(known, liveness.expireAfter()));
  }

  /**
   * Foreign workers without heartbeats of which nothing was heard for half the time to expiry: they
   * are asked, often enough that the dead are gone by then.
   */
  List<WorkerStream> unheard(int partition) {
    return streams(
        known ->
            known.stream.partition() == partition
                && !known.stream.isExpectedToBeat()
                && sinceSeen(known).compareTo(liveness.expireAfter().dividedBy(2)) > 0);
  }

  /** The worker has answered a question. */
  void heard(WorkerId id) {
    Known known = workers.get(id);
    if (known != null) {
      known.seenMillis = millis(known.stream.partition());
    }
  }

  /** Time of a partition between two questions to one worker. */
  long probeIntervalMillis() {
    return liveness.expireAfter().toMillis() / 4;
  }

  /** Time of the partition, in milliseconds since its first record that was read. */
  long millis(int partition) {
    return clock(partition).millis();
  }

  /** Nothing is known of the partition's workers any more. */
  void forget(Collection<Integer> partitions) {
    workers.values().removeIf(known -> partitions.contains(known.stream.partition()));
  }

  /** Nothing is known of the worker any more. */
  void forget(WorkerId id) {
    workers.remove(id);
  }

  /** Nothing is known of any worker, nor of the time. */
  void clear() {
    workers.clear();
    clocks.clear();
  }

  /** Whether the worker is known. */
  boolean knows(WorkerId id) {
    return workers.containsKey(id);
  }

  /** The time is for the heartbeat interval of agents; who beats more slowly has more of it. */
  private boolean isSilentFor(Known known, Duration time) {
    if (!known.stream.isExpectedToBeat()) {
      return false;
    }
    long usual = Math.max(1, liveness.longestStep().toMillis() / 2);
    long patience =
        time.toMillis() * Math.max(usual, known.stream.signs().beatIntervalMillis()) / usual;
    return sinceSeen(known).toMillis() > patience;
  }

  private Duration sinceSeen(Known known) {
    return Duration.ofMillis(clock(known.stream.partition()).millis() - known.seenMillis);
  }

  private List<WorkerStream> streams(Predicate<Known> which) {
    List<WorkerStream> streams = new ArrayList<>();
    for (Known known : workers.values()) {
      if (which.test(known)) {
        streams.add(known.stream);
      }
    }
    return streams;
  }

  private PartitionClock clock(int partition) {
    return clocks.computeIfAbsent(partition, p -> new PartitionClock(liveness.longestStep()));
  }

  /** One object per keyspace, however many records name it. */
  private Keyspace keyspace(String text) {
    Keyspace known = keyspaces.get(text);
    if (known == null) {
      if (keyspaces.size() >= MAX_KEYSPACES) {
        keyspaces.clear();
      }
      known = Keyspace.parse(text);
      keyspaces.put(text, known);
    }
    return known;
  }
}
