package io.kvmesh.agent.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.LogPosition;
import io.kvmesh.agent.cache.PendingChunk;
import io.kvmesh.agent.cache.RemovalCause;
import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.agent.memory.PageAllocator;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.DrainState;
import io.kvmesh.common.wire.event.WorkerKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A cache whose events go through an outbox to a log, turn by turn, on a clock of the test's. */
final class PumpFixture implements AutoCloseable {

  static final Keyspace KEYSPACE = Keyspace.of("model", 1, 0, "half", List.of());
  static final Keyspace OTHER = Keyspace.of("other", 1, 0, "half", List.of());
  static final Announcement ANNOUNCEMENT =
      new Announcement(
          WorkerKind.AGENT,
          "10.0.0.1",
          9200,
          null,
          "model",
          "half",
          256,
          8L,
          null,
          null,
          null,
          List.of("zmq"));
  static final Instant START = Instant.ofEpochSecond(1_700_000_000);
  private static final int PAGE_BYTES = 8;

  final FakeEventLog log = new FakeEventLog();
  final PublisherCounters counters = new PublisherCounters();
  final EventOutbox outbox;
  final ChunkCache cache;
  final SnapshotPublisher snapshots;
  final EventPump pump;
  private final PageArena arena;

  long now;
  long jitter;
  int wakeUps;
  @Nullable DrainState drain;

  PumpFixture(int capacity, int outboxCapacity) {
    this(capacity, outboxCapacity, 500, 64);
  }

  PumpFixture(int capacity, int outboxCapacity, int eventsPerRecord, int maxInFlight) {
    arena = PageArena.anonymous((long) capacity * PAGE_BYTES);
    outbox = new EventOutbox(outboxCapacity);
    cache =
        new ChunkCache(
            new PageAllocator(arena, PAGE_BYTES), PolicyName.LRU.create(capacity), outbox);
    PublisherSettings settings = settings(eventsPerRecord, maxInFlight);
    snapshots = new SnapshotPublisher(settings, outbox, cache, counters, bound -> jitter % bound);
    pump =
        new EventPump(
            settings,
            new LogMessages(settings, ANNOUNCEMENT, () -> START.plusNanos(now), () -> drain),
            outbox,
            cache,
            log,
            snapshots,
            counters,
            () -> wakeUps++);
  }

  private static PublisherSettings settings(int eventsPerRecord, int maxInFlight) {
    return new PublisherSettings(
        new WorkerId("A", 0),
        PublisherSettings.LOCAL_CPU,
        Duration.ofSeconds(5),
        Duration.ofMinutes(1),
        Duration.ofSeconds(10),
        Duration.ofMillis(2),
        Duration.ofSeconds(1),
        eventsPerRecord,
        4,
        maxInFlight);
  }

  static ChunkKey key(long hash) {
    return new ChunkKey(KEYSPACE, ChunkHash.ofSigned(hash));
  }

  void put(long... hashes) {
    for (long hash : hashes) {
      put(key(hash));
    }
  }

  void put(ChunkKey key) {
    try (ChunkLease lease = cache.newLease()) {
      if (cache.claim(key, PAGE_BYTES, 1, lease) instanceof PendingChunk chunk) {
        cache.commit(chunk, 0, lease);
      }
    }
  }

  void remove(long... hashes) {
    for (long hash : hashes) {
      cache.remove(key(hash), RemovalCause.REMOVED);
    }
  }

  void touch(long hash) {
    try (ChunkLease lease = cache.leasePrefix(List.of(key(hash)))) {
      cache.touch(lease, lease.size());
    }
  }

  /** Turns without time passing, until there is nothing more to do. */
  void turns() {
    int woken;
    do {
      woken = wakeUps;
      pump.turn(now);
    } while (woken != wakeUps);
  }

  /** Lets time pass, with all turns that are due meanwhile. */
  void pass(Duration duration) {
    long end = now + duration.toNanos();
    turns();
    for (long next = pump.turn(now); next <= end; next = pump.turn(now)) {
      now = Math.max(now + 1, next);
      turns();
    }
    now = end;
    turns();
  }

  /** Long enough for what waits for company. */
  void settle() {
    pass(Duration.ofMillis(3));
  }

  /** A life that has written its first snapshot, too. */
  PumpFixture started() {
    settle();
    assertThat(pump.epoch()).isEqualTo(FakeEventLog.offset(0));
    assertThat(counters.snapshotsCompleted.get()).isEqualTo(1);
    return this;
  }

  LogView view() {
    return LogView.of(log.records);
  }

  void requireViewIsRight() {
    LogView view = view();
    LogPosition position = cache.position();
    assertThat(view.chunks).hasSize(position.residentCount());
    assertThat(view.digest()).isEqualTo(position.digest());
    assertThat(view.sequence).isEqualTo(position.sequence());
    assertThat(view.suspect).isFalse();
  }

  @Override
  public void close() {
    arena.close();
  }
}
