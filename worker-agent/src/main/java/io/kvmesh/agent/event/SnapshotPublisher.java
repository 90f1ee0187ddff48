package io.kvmesh.agent.event;

import io.kvmesh.agent.cache.CacheSnapshots;
import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.event.OutboxItem.EndMark;
import io.kvmesh.agent.event.OutboxItem.SliceMark;
import io.kvmesh.agent.event.OutboxItem.StartMark;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongUnaryOperator;

/**
 * Walks the cache and queues what it finds among the events. One snapshot at a time: a start, parts
 * that are cut while the outbox is under half full, an end. A loss of events voids it.
 *
 * <p>The snapshot at the start of a life and the one after a loss begin at once; one that was asked
 * for begins after some jitter. Between the end of a snapshot and the walk of the next there is the
 * configured interval, whatever the cause. After a loss only the walk waits for it, not the start:
 * the log goes on with what happens from there.
 *
 * <p>Used by the publisher's thread; only {@link #wanted} may be called from any. All times are
 * nanoseconds of the publisher's clock.
 */
final class SnapshotPublisher {

  static final long NEVER = Long.MAX_VALUE;

  private final PublisherSettings settings;
  private final EventOutbox outbox;
  private final ChunkCache cache;
  private final PublisherCounters counters;
  private final LongUnaryOperator randomBelow;
  private final AtomicBoolean asked = new AtomicBoolean();

  /** When a snapshot that isn't under way begins. */
  private long dueAt;

  private long walkNotBefore;
  private boolean walking;
  private String snapshotId = "";
  private long snapshots;
  private int nextSlot;

  /** Whether a part waits in the outbox; the next is cut when it is taken. */
  private boolean partQueued;

  /**
   * A first snapshot is due at once.
   *
   * @param randomBelow a random number from 0 to below its argument, which is positive
   */
  SnapshotPublisher(
      PublisherSettings settings,
      EventOutbox outbox,
      ChunkCache cache,
      PublisherCounters counters,
      LongUnaryOperator randomBelow) {
    this.settings = settings;
    this.outbox = outbox;
    this.cache = cache;
    this.counters = counters;
    this.randomBelow = randomBelow;
  }

  /** Somebody's view needs one; while one is under way, that is the one. */
  void wanted() {
    counters.snapshotsWanted.incrementAndGet();
    asked.set(true);
  }

  /**
   * Does what can be done now, short of mending a loss.
   *
   * @return when there will be something to do by itself
   */
  long step(long epoch, long now) {
    noteRequest(now);
    if (!outbox.accepting()) {
      voidSnapshot();
      return NEVER;
    }
    if (!walking && now >= dueAt) {
      begin(epoch);
    }
    if (walking && !partQueued && now >= walkNotBefore && outbox.underHalfFull()) {
      walk(now);
    }
    return walking ? nextWalk(now) : dueAt;
  }

  private long nextWalk(long now) {
    return now < walkNotBefore ? walkNotBefore : NEVER;
  }

  private void noteRequest(long now) {
    if (asked.getAndSet(false) && !walking && dueAt == NEVER) {
      long jitter = Math.max(1, settings.snapshotJitter().toNanos());
      dueAt = Math.max(now + randomBelow.applyAsLong(jitter), walkNotBefore);
    }
  }

  private void begin(long epoch) {
    StartMark[] start = new StartMark[1];
    String id = nextId(epoch);
    cache
        .snapshots()
        .withPosition(
            position -> {
              StartMark mark = new StartMark(id, position);
              start[0] = outbox.addSnapshotPart(mark) ? mark : null;
            });
    if (start[0] != null) {
      started(id);
    }
  }

  /** Goes on after a loss of events, with the start of a snapshot; the outbox is empty. */
  void resume(long epoch) {
    voidSnapshot();
    String id = nextId(epoch);
    cache.snapshots().withPosition(position -> outbox.resume(new StartMark(id, position)));
    started(id);
  }

  private String nextId(long epoch) {
    return epoch + "-" + (snapshots + 1);
  }

  private void started(String id) {
    snapshots++;
    snapshotId = id;
    walking = true;
    dueAt = NEVER;
    nextSlot = 0;
    partQueued = false;
    counters.snapshotsStarted.incrementAndGet();
  }

  private void walk(long now) {
    if (nextSlot == CacheSnapshots.END_OF_SLOTS) {
      cache
          .snapshots()
          .withPosition(
              position -> partQueued = outbox.addSnapshotPart(new EndMark(snapshotId, position)));
      if (partQueued) {
        walking = false;
        walkNotBefore = now + settings.snapshotInterval().toNanos();
      }
      return;
    }
    int next =
        cache
            .snapshots()
            .slice(
                nextSlot,
                settings.keysPerBatch(),
                slice -> partQueued = outbox.addSnapshotPart(new SliceMark(snapshotId, slice)));
    if (partQueued) {
      nextSlot = next;
    }
  }

  /** The part that was queued last is on its way. */
  void partTaken() {
    partQueued = false;
  }

  private void voidSnapshot() {
    if (walking) {
      walking = false;
      counters.snapshotsVoided.incrementAndGet();
    }
    partQueued = false;
  }
}
