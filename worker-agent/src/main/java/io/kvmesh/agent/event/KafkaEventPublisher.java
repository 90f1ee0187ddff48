package io.kvmesh.agent.event;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.DrainState;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes this worker's life to the log: WorkerUp, heartbeats, every event of the cache in order,
 * snapshots, WorkerDown. One thread of its own does the writing; nobody waits for it, and it waits
 * for nobody but Kafka. While Kafka is away events are kept as long as the outbox has room; after
 * that a snapshot tells what became of them.
 */
public final class KafkaEventPublisher {

  private static final Logger LOG = LoggerFactory.getLogger(KafkaEventPublisher.class);

  private final PublisherSettings settings;
  private final EventOutbox outbox;
  private final EventLog log;
  private final PublisherCounters counters = new PublisherCounters();
  private final Doorbell doorbell = new Doorbell();
  private final SnapshotPublisher snapshots;
  private final EventPump pump;
  private final long origin = System.nanoTime();

  private @Nullable Thread thread;

  /** When the thread must be done; negative while it isn't asked to finish. */
  private volatile long finishBy = -1;

  /**
   * Nothing is sent before {@link #start}.
   *
   * @param drain whether this agent is going, asked for each heartbeat
   */
  public KafkaEventPublisher(
      KafkaLogSettings kafka,
      PublisherSettings settings,
      Announcement announcement,
      Supplier<@Nullable DrainState> drain,
      EventOutbox outbox,
      ChunkCache cache) {
    this(new KafkaEventLog(kafka, settings.worker()), settings, announcement, drain, outbox, cache);
  }

  KafkaEventPublisher(
      EventLog log,
      PublisherSettings settings,
      Announcement announcement,
      Supplier<@Nullable DrainState> drain,
      EventOutbox outbox,
      ChunkCache cache) {
    this.settings = settings;
    this.outbox = outbox;
    this.log = log;
    this.snapshots =
        new SnapshotPublisher(
            settings,
            outbox,
            cache,
            counters,
            bound -> ThreadLocalRandom.current().nextLong(bound));
    this.pump =
        new EventPump(
            settings,
            new LogMessages(settings, announcement, InstantSource.system(), drain),
            outbox,
            cache,
            log,
            snapshots,
            counters,
            doorbell::ring);
  }

  /** Starts the thread; returns at once, also while Kafka is away. */
  public synchronized void start() {
    if (thread != null) {
      throw new IllegalStateException("The publisher is started once");
    }
    thread = Thread.ofPlatform().name("event-publisher").daemon().start(this::run);
  }

  /** This life's number, −1 before Kafka has acknowledged its WorkerUp. */
  public long epoch() {
    return pump.epoch();
  }

  /** Whether a later life of this worker is known, so that it must stop offering chunks. */
  public boolean fenced() {
    return pump.fenced();
  }

  /** Somebody has seen this epoch of this worker; a later one than ours fences us. */
  public void laterEpochSeen(long otherEpoch) {
    pump.epochSeen(otherEpoch);
  }

  /** Somebody's view needs a snapshot. */
  public void snapshotWanted(String reason) {
    LOG.info("{} is asked for a snapshot: {}", settings.worker(), reason);
    snapshots.wanted();
    doorbell.ring();
  }

  /** All figures. */
  public PublisherStats stats() {
    return new PublisherStats(
        pump.epoch(),
        pump.fenced(),
        outbox.sequence(),
        outbox.size(),
        outbox.capacity(),
        outbox.dropped(),
        outbox.overflows(),
        counters.sentRecords.get(),
        counters.sentEvents.get(),
        counters.failedSends.get(),
        counters.heartbeats.get(),
        counters.snapshotsStarted.get(),
        counters.snapshotsCompleted.get(),
        counters.snapshotsVoided.get(),
        counters.snapshotsWanted.get());
  }

  /**
   * Sends what is queued and a WorkerDown, as far as that is possible in this time, and stops.
   * Further calls do nothing.
   */
  public synchronized void close(Duration atMost) {
    if (thread == null || finishBy >= 0) {
      return;
    }
    finishBy = clock() + atMost.toNanos();
    doorbell.ring();
    boolean done = false;
    try {
      done = thread.join(atMost);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    if (!done) {
      LOG.warn("{} could not say goodbye to the log within {}", settings.worker(), atMost);
    }
  }

  private long clock() {
    return System.nanoTime() - origin;
  }

  private void run() {
    while (finishBy < 0) {
      doorbell.await(turn() - clock());
    }
    while (!pump.finished() && clock() < finishBy) {
      pump.finishingTurn(clock());
      if (!pump.finished()) {
        doorbell.await(finishBy - clock());
      }
    }
    log.close(Duration.ZERO);
  }

  /** A fault of this program must not end the heartbeats: it is told, and mended by a snapshot. */
  private long turn() {
    try {
      return pump.turn(clock());
    } catch (RuntimeException | Error fault) {
      LOG.error("The event publisher of {} failed", settings.worker(), fault);
      pump.fault(clock());
      return clock() + settings.retryDelay().toNanos();
    }
  }
}
