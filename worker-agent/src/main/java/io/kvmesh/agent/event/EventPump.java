package io.kvmesh.agent.event;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.event.OutboxItem.EndMark;
import io.kvmesh.agent.event.OutboxItem.HeartbeatMark;
import io.kvmesh.agent.event.OutboxItem.Mark;
import io.kvmesh.agent.event.OutboxItem.SliceMark;
import io.kvmesh.agent.event.OutboxItem.StartMark;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.wire.event.Heartbeat;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.SnapshotEnd;
import io.kvmesh.common.wire.event.WorkerUp;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the outbox to the log, in turns of one thread: what the publisher does, without its thread
 * and its clock.
 *
 * <ol>
 *   <li>The log is made ready, then told WorkerUp. The offset of the acknowledged WorkerUp is the
 *       epoch; nothing else is sent before.
 *   <li>Then the outbox goes out in its order, with heartbeats and snapshots among the events.
 *   <li>A failed send empties the outbox. When nothing is in flight any more and the log is ready
 *       again, the first that goes out is the start of a snapshot. Such a start also ends a loss of
 *       events in the outbox, once what was queued before the hole has been acknowledged.
 *   <li>When a later life of this worker is known, nothing is sent any more.
 *   <li>When the log turns out to be another one than that of the epoch, WorkerUp is written there.
 * </ol>
 *
 * <p>All times are nanoseconds of one clock, never negative.
 */
final class EventPump {

  private static final Logger LOG = LoggerFactory.getLogger(EventPump.class);
  private static final long NEVER = SnapshotPublisher.NEVER;
  private static final long NONE = -1;

  /** How a call to the log ended; without a record if it was made ready. */
  private record Settled(@Nullable LogEvent event, long offset, @Nullable Throwable failure) {}

  private final PublisherSettings settings;
  private final LogMessages messages;
  private final EventOutbox outbox;
  private final ChunkCache cache;
  private final EventLog log;
  private final SnapshotPublisher snapshots;
  private final PublisherCounters counters;
  private final Runnable wake;

  /** Filled by the log's threads: at most one entry for each call under way. */
  private final Queue<Settled> settled = new ConcurrentLinkedQueue<>();

  private volatile long epoch = NONE;
  private volatile long laterEpoch = NONE;

  private boolean preparing;
  private boolean prepared;
  private boolean announcing;

  /** Whether the log's absence has been told. */
  private boolean away;

  private int inFlight;
  private long retryAt;
  private long nextHeartbeat;
  private boolean heartbeatQueued;
  private long lastHeartbeatOffset = NONE;

  /** Since when events wait for company. */
  private long waitingSince = NONE;

  private boolean downSent;
  private boolean finished;

  /**
   * Nothing is sent before the first turn.
   *
   * @param wake called from any thread when a turn is due
   */
  EventPump(
      PublisherSettings settings,
      LogMessages messages,
      EventOutbox outbox,
      ChunkCache cache,
      EventLog log,
      SnapshotPublisher snapshots,
      PublisherCounters counters,
      Runnable wake) {
    this.settings = settings;
    this.messages = messages;
    this.outbox = outbox;
    this.cache = cache;
    this.log = log;
    this.snapshots = snapshots;
    this.counters = counters;
    this.wake = wake;
    outbox.signalBy(wake);
  }

  long epoch() {
    return epoch;
  }

  boolean fenced() {
    return laterEpoch != NONE;
  }

  /** From any thread: somebody has seen this epoch of this worker. */
  void epochSeen(long seen) {
    long own = epoch;
    if (own != NONE && seen > own && !fenced()) {
      LOG.warn(
          "{} has a later life, {}, than this one, {}: it stops offering chunks",
          settings.worker(),
          seen,
          own);
      laterEpoch = seen;
      wake.run();
    }
  }

  /** Whether the end is written, or can't be. */
  boolean finished() {
    return finished;
  }

  /**
   * Does what can be done now.
   *
   * @return when the next turn is due without being woken
   */
  long turn(long now) {
    settle(now);
    if (fenced()) {
      outbox.fail();
      return NEVER;
    }
    if (now < retryAt) {
      return retryAt;
    }
    if (!prepared) {
      prepare();
      return NEVER;
    }
    if (epoch == NONE) {
      announce();
      return NEVER;
    }
    return publish(now);
  }

  /** A turn after which nothing new begins: what waits goes out, then WorkerDown. */
  void finishingTurn(long now) {
    settle(now);
    if (fenced() || epoch == NONE || !prepared) {
      finished = true;
      return;
    }
    while (flush(now, true)) {}
    if (outbox.size() == 0 && inFlight == 0) {
      if (downSent) {
        finished = true;
      } else {
        downSent = true;
        send(messages.down(epoch, lastHeartbeatOffset));
      }
    }
  }

  /** A turn failed by a fault of this program: as if a send had failed. */
  void fault(long now) {
    lose(now);
  }

  private void prepare() {
    if (!preparing && inFlight == 0) {
      preparing = true;
      log.prepare((offset, failure) -> completed(new Settled(null, offset, failure)));
    }
  }

  private void announce() {
    if (!announcing) {
      announcing = true;
      send(messages.up());
    }
  }

  private long publish(long now) {
    if (now >= nextHeartbeat) {
      queueHeartbeat(now);
    }
    if (!outbox.accepting() && outbox.size() == 0 && inFlight == 0) {
      snapshots.resume(epoch);
    }
    long nextStep;
    do {
      nextStep = snapshots.step(epoch, now);
    } while (flush(now, false));
    return Math.min(Math.min(nextHeartbeat, nextStep), nextFlush());
  }

  private void queueHeartbeat(long now) {
    nextHeartbeat = now + settings.heartbeatInterval().toNanos();
    if (!heartbeatQueued) {
      cache
          .snapshots()
          .withPosition(
              position -> heartbeatQueued = outbox.addHeartbeat(new HeartbeatMark(position)));
    }
  }

  /** Sends one item, if one waits and its time has come; answers whether it did. */
  private boolean flush(long now, boolean atOnce) {
    int waiting = outbox.size();
    if (waiting == 0) {
      waitingSince = NONE;
      outbox.signalAt(1);
      return false;
    }
    if (waitingSince == NONE) {
      waitingSince = now;
    }
    if (inFlight >= settings.maxInFlight()) {
      return false;
    }
    boolean company = waiting >= settings.eventsPerRecord() || outbox.hasMarks() || atOnce;
    if (!company && now < waitingSince + settings.batchDelay().toNanos()) {
      outbox.signalAt(settings.eventsPerRecord());
      return false;
    }
    OutboxItem item = outbox.take(settings.eventsPerRecord());
    if (item == null) {
      return false;
    }
    if (item instanceof Mark mark) {
      taken(mark);
    }
    messages.of(item, epoch).forEach(this::send);
    return true;
  }

  private void taken(Mark mark) {
    switch (mark) {
      case HeartbeatMark heartbeat -> heartbeatQueued = false;
      case StartMark start -> {}
      case SliceMark slice -> snapshots.partTaken();
      case EndMark end -> snapshots.partTaken();
    }
  }

  private long nextFlush() {
    return waitingSince == NONE || inFlight >= settings.maxInFlight()
        ? NEVER
        : waitingSince + settings.batchDelay().toNanos();
  }

  private void send(LogEvent event) {
    log.send(event, (offset, failure) -> completed(new Settled(event, offset, failure)));
    inFlight++;
  }

  private void completed(Settled end) {
    settled.add(end);
    wake.run();
  }

  private void settle(long now) {
    for (Settled end = settled.poll(); end != null; end = settled.poll()) {
      LogEvent event = end.event();
      if (event == null) {
        settlePrepared(end.failure(), now);
        continue;
      }
      inFlight--;
      Throwable failure = end.failure();
      if (failure == null && event instanceof WorkerUp && end.offset() < 0) {
        failure = new IllegalStateException("acknowledged without an offset");
      }
      if (failure == null) {
        acknowledged(event, end.offset(), now);
      } else {
        refused(event, failure, now);
      }
    }
  }

  private void settlePrepared(@Nullable Throwable failure, long now) {
    preparing = false;
    prepared = failure == null;
    if (failure != null) {
      tellAway(failure);
      retryAt = now + settings.retryDelay().toNanos();
    }
  }

  /** Once, however often it fails before it works again. */
  private void tellAway(Throwable failure) {
    if (!away) {
      away = true;
      LOG.warn("{} can't write to the log: {}", settings.worker(), failure.toString());
    }
  }

  private void tellBack() {
    if (away) {
      away = false;
      LOG.info("{} writes to the log again", settings.worker());
    }
  }

  private void acknowledged(LogEvent event, long offset, long now) {
    tellBack();
    counters.sentRecords.incrementAndGet();
    if (offset >= 0 && offset < epoch) {
      beginAnew(offset);
    }
    switch (event) {
      case WorkerUp up -> {
        epoch = offset;
        nextHeartbeat = now;
        LOG.info("{} lives as epoch {}", up.worker(), offset);
      }
      case Heartbeat heartbeat -> {
        counters.heartbeats.incrementAndGet();
        lastHeartbeatOffset = offset;
      }
      case BatchedKVOperation operations ->
          counters.sentEvents.addAndGet(operations.operations().size());
      case SnapshotEnd end -> counters.snapshotsCompleted.incrementAndGet();
      default -> {}
    }
  }

  /**
   * What comes after WorkerUp has a higher offset: this is another log, which knows nothing of us.
   */
  private void beginAnew(long offset) {
    LOG.warn(
        "The log of {} was replaced: offset {} comes after epoch {}; a new life begins",
        settings.worker(),
        offset,
        epoch);
    epoch = NONE;
    announcing = false;
    failOutbox();
  }

  private void refused(LogEvent event, Throwable failure, long now) {
    tellAway(failure);
    counters.failedSends.incrementAndGet();
    announcing = false;
    if (!(event instanceof Heartbeat)) {
      lose(now);
    }
  }

  /** Events may be missing from the log: nothing that waits may go out as if they were there. */
  private void lose(long now) {
    prepared = false;
    retryAt = now + settings.retryDelay().toNanos();
    if (epoch != NONE) {
      failOutbox();
    }
  }

  private void failOutbox() {
    outbox.fail();
    heartbeatQueued = false;
    waitingSince = NONE;
  }
}
