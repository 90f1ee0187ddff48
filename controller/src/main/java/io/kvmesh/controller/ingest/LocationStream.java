package io.kvmesh.controller.ingest;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.OpType;
import io.kvmesh.common.wire.event.LocationState;
import io.kvmesh.common.wire.event.SnapshotBatch;
import io.kvmesh.common.wire.event.SnapshotEnd;
import io.kvmesh.common.wire.event.SnapshotStart;
import io.kvmesh.controller.index.ChangeStep;
import io.kvmesh.controller.index.KeyTotals;
import io.kvmesh.controller.index.LocationProgress;
import io.kvmesh.controller.index.LocationProgress.SnapshotProgress;
import io.kvmesh.controller.registry.LocationView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One location of one life of a worker: sequence numbers, snapshots and comparisons. Decides only;
 * the index is changed by others. Belongs to its reader's thread.
 *
 * <p>An agent's operations are numbered from 1: above last + 1 is a gap, not above last a
 * duplicate. A foreign worker's numbers begin anywhere and only tell of gaps: all its operations
 * are applied, and its snapshots carry no numbers.
 */
final class LocationStream {

  private static final long UNKNOWN = -1;

  private final String name;
  private final IngestCounters counters;

  private long sequence;
  private boolean suspect;
  private long gaps;
  private long duplicates;
  private long mismatches;
  private long snapshots;
  private @Nullable SnapshotProgress snapshot;

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

  /** Admits and evicts of one keyspace. */
  void operations(Keyspace keyspace, List<KVOpEvent> operations, Steps steps) {
    Steps.Run run = new Steps.Run(steps, name, keyspace, operations.size());
    int applied = 0;
    for (KVOpEvent operation : operations) {
      if (accept(operation.seqNum(), keyspace.isForeign(), run, steps)) {
        run.add(operation.key().bits(), operation.opType() == OpType.ADMIT);
        applied++;
        compareIfAwaited(run, steps);
      }
    }
    run.cut(snapshot != null);
    counters.operations.add(applied);
  }

  /** Whether the operation of that number is to be applied; it is the last one then. */
  private boolean accept(long number, boolean foreign, Steps.Run run, Steps steps) {
    if (sequence != UNKNOWN && number <= sequence) {
      duplicates++;
      counters.duplicates.increment();
      if (!foreign) {
        return false;
      }
      suspect = true;
    } else if (sequence != UNKNOWN && number > sequence + 1) {
      run.cut(snapshot != null);
      missing(steps);
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
      run.cut(snapshot != null);
      steps.check(this, state.residentCount(), state.digest());
    }
  }

  /** Operations before the next one are missing. */
  private void missing(Steps steps) {
    gaps++;
    counters.gaps.increment();
    suspect = true;
    voidSnapshot(steps);
  }

  /**
   * All operations up to the number are before this record.
   *
   * @return false if later ones have been applied: the record isn't of this place in the log
   */
  private boolean reach(long number, boolean foreign, Steps steps) {
    if (foreign) {
      return true;
    }
    if (sequence != UNKNOWN && number < sequence) {
      duplicates++;
      counters.duplicates.increment();
      voidSnapshot(steps);
      return false;
    }
    if (sequence != UNKNOWN && number > sequence) {
      missing(steps);
    }
    sequence = number;
    if (awaited != null && awaited.sequence() < number) {
      awaited = null;
    }
    return true;
  }

  void snapshotStart(SnapshotStart start, boolean foreign, Steps steps) {
    if (!reach(start.sequence(), foreign, steps)) {
      return;
    }
    voidSnapshot(steps);
    snapshot = new SnapshotProgress(start.snapshotId(), 0);
    steps.add(new ChangeStep.SnapshotBegin(name));
    if (foreign) {
      sequence = UNKNOWN;
    }
  }

  void snapshotBatch(SnapshotBatch batch, Keyspace keyspace, Steps steps) {
    SnapshotProgress running =
        reach(batch.sequence(), keyspace.isForeign(), steps) ? followed(batch.snapshotId()) : null;
    if (running == null) {
      return;
    }
    if (running.nextBatch() != batch.batchId()) {
      voidSnapshot(steps);
      return;
    }
    snapshot = new SnapshotProgress(batch.snapshotId(), batch.batchId() + 1);
    long[] hashBits = batch.keys().stream().mapToLong(ChunkHash::bits).toArray();
    steps.add(new ChangeStep.SnapshotKeys(name, keyspace, hashBits));
  }

  void snapshotEnd(SnapshotEnd end, boolean foreign, Steps steps) {
    SnapshotProgress running =
        reach(end.sequence(), foreign, steps) ? followed(end.snapshotId()) : null;
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
    steps.add(new ChangeStep.SnapshotApply(name));
    if (foreign) {
      steps.trust(this);
    } else {
      steps.check(this, end.residentCount(), end.digest());
    }
  }

  /** The snapshot that is being followed, if it is that one. */
  private @Nullable SnapshotProgress followed(String id) {
    return snapshot != null && snapshot.id().equals(id) ? snapshot : null;
  }

  private void voidSnapshot(Steps steps) {
    if (snapshot != null) {
      snapshot = null;
      counters.voidSnapshots.increment();
      steps.add(new ChangeStep.SnapshotVoid(name));
    }
  }

  /** The worker tells what it held after an operation. */
  void heartbeat(LocationState state, Steps steps) {
    if (sequence == UNKNOWN || state.sequence() == sequence) {
      steps.add(new ChangeStep.Measure(name));
      steps.check(this, state.residentCount(), state.digest());
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
    if (same || !check.compared()) {
      suspect = false;
    } else {
      differs();
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
        sequence, suspect, gaps, duplicates, mismatches, snapshots, snapshot);
  }

  LocationView view() {
    return new LocationView(
        sequence,
        totals.count(),
        totals.digest(),
        suspect,
        snapshot != null,
        gaps,
        duplicates,
        mismatches,
        snapshots);
  }
}
