package io.kvmesh.controller.ingest;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.wire.KVOperations;
import io.kvmesh.common.wire.event.LocationState;
import io.kvmesh.common.wire.event.SnapshotBatch;
import io.kvmesh.common.wire.event.SnapshotEnd;
import io.kvmesh.common.wire.event.SnapshotStart;
import io.kvmesh.controller.index.ChangeStep;
import io.kvmesh.controller.index.KeyTotals;
import io.kvmesh.controller.index.LocationProgress;
import io.kvmesh.controller.index.LocationProgress.SnapshotProgress;
import io.kvmesh.controller.index.SyncProgress;
import io.kvmesh.controller.registry.LocationView;
import io.kvmesh.controller.trail.TrailEvent.Kind;
import org.jspecify.annotations.Nullable;

/**
 * One location of one life of a worker: sequence numbers, snapshots and comparisons. Decides only;
 * the index is changed by others. Belongs to its reader's thread.
 *
 * <p>An agent's operations are numbered from 1: above last + 1 is a gap, not above last a
 * duplicate. A foreign worker's numbers begin anywhere and only tell of gaps: all its operations
 * are applied. An engine's are those of its batches of events, in which the controller that listens
 * to it has seen to gaps: they tell nothing here. A foreign worker's snapshots are full syncs: they
 * carry no numbers, their batches come in any order and maybe again, and they are whole when every
 * batch has come and the end was told. Operations that are missing or come twice void either kind.
 */
final class LocationStream {

  static final long UNKNOWN = -1;

  private final String name;
  private final IngestCounters counters;

  private long sequence;
  private boolean suspect;
  private long gaps;
  private long duplicates;
  private long mismatches;
  private long snapshots;
  private @Nullable SnapshotProgress snapshot;
  private @Nullable SyncProgress sync;

  /** Whether chunks have been left out since the last snapshot began. */
  private boolean incomplete;

  /** What the worker said it holds after an operation that hasn't come yet. */
  private @Nullable LocationState awaited;

  /** {@link #sequence} when {@link #awaited} was last repeated. */
  private long sequenceWhenAwaited;

  private KeyTotals totals = KeyTotals.NONE;

  private LocationStream(String name, IngestCounters counters) {
    this.name = name;
    this.counters = counters;
  }

  /** A location whose first operation is still to come. */
  static LocationStream fromItsStart(String name, boolean foreign, IngestCounters counters) {
    LocationStream location = new LocationStream(name, counters);
    location.sequence = foreign ? UNKNOWN : 0;
    return location;
  }

  /** A location of which a part of the log is missing. */
  static LocationStream fromTheMiddle(String name, IngestCounters counters) {
    LocationStream location = new LocationStream(name, counters);
    location.sequence = UNKNOWN;
    location.suspect = true;
    return location;
  }

  /** Goes on where another reader stopped. */
  static LocationStream resumed(
      String name, IngestCounters counters, LocationProgress progress, KeyTotals totals) {
    LocationStream location = new LocationStream(name, counters);
    location.sequence = progress.sequence();
    location.suspect = progress.suspect();
    location.gaps = progress.gaps();
    location.duplicates = progress.duplicates();
    location.mismatches = progress.mismatches();
    location.snapshots = progress.snapshots();
    location.snapshot = progress.snapshot();
    location.sync = progress.sync();
    location.totals = totals;
    return location;
  }

  boolean isSuspect() {
    return suspect;
  }

  /** Some keys may be wrong: the reader knows of something that it has missed. */
  void suspect() {
    suspect = true;
  }

  /** The view is full: some of what should have been admitted is missing. */
  void leftOut() {
    incomplete = true;
    suspect = true;
  }

  /** Admits and evicts of one keyspace. */
  void operations(Keyspace keyspace, KVOperations operations, Steps steps) {
    Steps.Run run = new Steps.Run(steps, name, keyspace, operations.size());
    int applied = 0;
    for (int i = 0; i < operations.size(); i++) {
      if (accept(operations.sequence(i), keyspace, run, steps)) {
        run.add(operations.hashBits(i), operations.admits(i));
        applied++;
        compareIfAwaited(run, steps);
      }
    }
    run.cut(isFollowing());
    counters.operations.add(applied);
  }

  /** Whether a snapshot or a sync is being followed: what is admitted is marked. */
  private boolean isFollowing() {
    return snapshot != null || isSyncing();
  }

  /** Whether the operation of that number is to be applied; it is the last one then. */
  private boolean accept(long number, Keyspace keyspace, Steps.Run run, Steps steps) {
    if (keyspace.isEngine()) {
      sequence = number;
      return true;
    }
    if (sequence != UNKNOWN && number <= sequence) {
      duplicates++;
      counters.duplicates.increment();
      if (!keyspace.isForeign()) {
        return false;
      }
      suspect = true;
      run.cut(isFollowing());
      voidSnapshot(steps);
    } else if (sequence != UNKNOWN && number > sequence + 1) {
      run.cut(isFollowing());
      missing(number - 1, steps);
    }
    sequence = number;
    return true;
  }

  private void compareIfAwaited(Steps.Run run, Steps steps) {
    LocationState state = awaited;
    if (state == null || sequence < state.sequence()) {
      return;
    }
    awaited = null;
    if (sequence == state.sequence()) {
      run.cut(isFollowing());
      steps.check(this, state.sequence(), state.residentCount(), state.digest());
    }
  }

  /** Operations up to that one are missing. */
  private void missing(long upTo, Steps steps) {
    gaps++;
    steps.note(Kind.GAP, name, "operations %d to %d are missing", sequence + 1, upTo);
    counters.gaps.increment();
    suspect = true;
    voidSnapshot(steps);
  }

  /**
   * All operations up to the number are before this record.
   *
   * @return false if later ones have been applied: the record isn't of this place in the log
   */
  private boolean reach(long number, Steps steps) {
    if (sequence != UNKNOWN && number < sequence) {
      duplicates++;
      counters.duplicates.increment();
      voidSnapshot(steps);
      return false;
    }
    if (sequence != UNKNOWN && number > sequence) {
      missing(number, steps);
    }
    sequence = number;
    if (awaited != null && awaited.sequence() < number) {
      awaited = null;
    }
    return true;
  }

  void snapshotStart(SnapshotStart start, Steps steps) {
    if (!reach(start.sequence(), steps)) {
      return;
    }
    voidSnapshot(steps);
    snapshot = new SnapshotProgress(start.snapshotId(), 0);
    steps.note(Kind.SNAPSHOT, name, "began");
    incomplete = false;
    steps.add(new ChangeStep.SnapshotBegin(name));
  }

  void snapshotBatch(SnapshotBatch batch, Keyspace keyspace, Steps steps) {
    SnapshotProgress running = reach(batch.sequence(), steps) ? followed(batch.snapshotId()) : null;
    if (running == null) {
      return;
    }
    if (running.nextBatch() != batch.batchId()) {
      voidSnapshot(steps);
      return;
    }
    snapshot = new SnapshotProgress(batch.snapshotId(), batch.batchId() + 1);
    steps.add(keys(batch, keyspace));
  }

  private ChangeStep keys(SnapshotBatch batch, Keyspace keyspace) {
    long[] hashBits = batch.keys().stream().mapToLong(ChunkHash::bits).toArray();
    return new ChangeStep.SnapshotKeys(name, keyspace, hashBits);
  }

  void snapshotEnd(SnapshotEnd end, Steps steps) {
    SnapshotProgress running = reach(end.sequence(), steps) ? followed(end.snapshotId()) : null;
    if (running == null) {
      return;
    }
    if (running.nextBatch() != end.batchCount()) {
      voidSnapshot(steps);
      return;
    }
    snapshot = null;
    snapshots++;
    counters.snapshots.increment();
    steps.note(Kind.SNAPSHOT, name, "applied: %d chunks", end.residentCount());
    steps.add(new ChangeStep.SnapshotApply(name));
    steps.check(this, end.sequence(), end.residentCount(), end.digest());
  }

  /**
   * A foreign worker begins a full sync; one that was under way is void. Its numbers go on: what is
   * lost around the sync shows as a gap afterwards.
   */
  void syncStart(SnapshotStart start, int batchCount, long millis, Steps steps) {
    voidSnapshot(steps);
    long totalKeys = start.totalKeys() == null ? 1 : start.totalKeys();
    incomplete = false;
    steps.note(Kind.SNAPSHOT, name, "full sync began: %d chunks", totalKeys);
    sync = SyncProgress.started(start.snapshotId(), totalKeys, batchCount, millis);
    steps.add(new ChangeStep.SnapshotBegin(name));
  }

  /** A part of a full sync; one that is there already, or of another sync, changes nothing. */
  void syncBatch(SnapshotBatch batch, Keyspace keyspace, long millis, Steps steps) {
    SyncProgress running = followedSync(batch.snapshotId());
    if (running == null) {
      return;
    }
    boolean part = batch.batchId() == SnapshotBatch.PART;
    if (part || running.lacks(batch.batchId())) {
      steps.add(keys(batch, keyspace));
      SyncProgress more = part ? running.at(millis) : running.withBatch(batch.batchId(), millis);
      sync = more;
      completeIfWhole(more, steps);
    }
  }

  /** The end of a full sync, of which batches may be missing. */
  void syncEnd(SnapshotEnd end, long millis, Steps steps) {
    SyncProgress running = followedSync(end.snapshotId());
    if (running != null) {
      SyncProgress ended = running.withEnd(millis);
      sync = ended;
      completeIfWhole(ended, steps);
    }
  }

  private @Nullable SyncProgress followedSync(String id) {
    return sync != null && sync.isRunning() && sync.id().equals(id) ? sync : null;
  }

  private void completeIfWhole(SyncProgress running, Steps steps) {
    if (running.isWhole()) {
      sync = running.over(SyncProgress.State.COMPLETE);
      steps.note(Kind.SNAPSHOT, name, "full sync applied");
      snapshots++;
      counters.snapshots.increment();
      steps.add(new ChangeStep.SnapshotApply(name));
      suspect = incomplete;
      steps.listed();
    }
  }

  boolean isSyncing() {
    return sync != null && sync.isRunning();
  }

  /** The last full sync of this life. */
  @Nullable SyncProgress sync() {
    return sync;
  }

  /** Gives up a sync of which nothing was heard since a time. */
  void voidSilentSync(long sinceMillis, Steps steps) {
    if (sync != null && sync.isRunning() && sync.lastMillis() < sinceMillis) {
      voidSnapshot(steps);
    }
  }

  /** The snapshot that is being followed, if it is that one. */
  private @Nullable SnapshotProgress followed(String id) {
    return snapshot != null && snapshot.id().equals(id) ? snapshot : null;
  }

  /** No snapshot or sync is followed any longer. */
  void voidSnapshot(Steps steps) {
    if (isFollowing()) {
      snapshot = null;
      sync = sync != null && sync.isRunning() ? sync.over(SyncProgress.State.FAILED) : sync;
      counters.voidSnapshots.increment();
      steps.note(Kind.SNAPSHOT, name, "came to nothing: parts of it are missing");
      steps.add(new ChangeStep.SnapshotVoid(name));
    }
  }

  /** The worker tells what it held after an operation. */
  void heartbeat(LocationState state, Steps steps) {
    if (sequence == UNKNOWN || state.sequence() == sequence) {
      steps.add(new ChangeStep.Measure(name));
      steps.check(this, state.sequence(), state.residentCount(), state.digest());
    } else if (state.sequence() > sequence) {
      await(state);
    }
  }

  /** Operations up to the state are on their way; if none comes until the next heartbeat, lost. */
  private void await(LocationState state) {
    if (awaited == null) {
      awaited = state;
    } else if (sequence == sequenceWhenAwaited) {
      differs();
    }
    sequenceWhenAwaited = sequence;
  }

  /** The index has answered what the location holds after a step. */
  void settle(KeyTotals held) {
    totals = held;
  }

  /** The index has answered what the location holds after a step that the worker spoke of. */
  void settle(KeyTotals held, Decision.Check check) {
    boolean same = held.count() == check.count() && held.digest() == check.digest();
    if (same && sequence == UNKNOWN) {
      // Else the loss of the next operation would go unseen until the next heartbeat.
      sequence = check.sequence();
    }
    if (same) {
      suspect = false;
    } else {
      differs();
    }
  }

  /** The index doesn't know what the location holds; what the worker has said must do. */
  void settleUncounted(Decision.Check check, boolean afterWholeSnapshot) {
    totals = new KeyTotals(check.count(), check.digest());
    if (afterWholeSnapshot) {
      suspect = false;
    }
  }

  private void differs() {
    if (!suspect) {
      suspect = true;
      mismatches++;
      counters.mismatches.increment();
    }
  }

  LocationProgress progress() {
    return new LocationProgress(
        sequence, suspect, gaps, duplicates, mismatches, snapshots, snapshot, sync);
  }

  LocationView view() {
    return new LocationView(
        sequence,
        totals.count(),
        totals.digest(),
        suspect,
        isFollowing(),
        gaps,
        duplicates,
        mismatches,
        snapshots);
  }
}
