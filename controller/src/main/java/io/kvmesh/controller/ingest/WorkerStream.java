package io.kvmesh.controller.ingest;

import static java.util.Objects.requireNonNull;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.wire.event.EnginePosition;
import io.kvmesh.common.wire.event.Heartbeat;
import io.kvmesh.common.wire.event.LocationState;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.SnapshotBatch;
import io.kvmesh.common.wire.event.SnapshotEnd;
import io.kvmesh.common.wire.event.SnapshotStart;
import io.kvmesh.common.wire.event.Tick;
import io.kvmesh.common.wire.event.WorkerDown;
import io.kvmesh.common.wire.event.WorkerKind;
import io.kvmesh.common.wire.event.WorkerUp;
import io.kvmesh.controller.index.ChangeOutcome;
import io.kvmesh.controller.index.ChangeStep;
import io.kvmesh.controller.index.KeyTotals;
import io.kvmesh.controller.index.LocationProgress;
import io.kvmesh.controller.index.WorkerChange;
import io.kvmesh.controller.index.WorkerProgress;
import io.kvmesh.controller.registry.LocationView;
import io.kvmesh.controller.registry.SyncView;
import io.kvmesh.controller.registry.WorkerState;
import io.kvmesh.controller.registry.WorkerView;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One worker's part of the log. Decides what each record changes; knows no index, no clock and no
 * thread, so every reader that gets the same records decides the same. Belongs to its reader's
 * thread.
 *
 * <p>An epoch is a life. A later one drops whatever the former had; records of a former one are
 * dropped. A life of which the beginning wasn't seen is suspect until each location has been
 * compared with the worker's own digest or filled by a whole snapshot.
 */
final class WorkerStream {

  private static final long NONE = -1;

  private final WorkerId id;
  private final int partition;
  private final long syncTimeoutMillis;
  private final IngestCounters counters;
  private final Function<String, Keyspace> keyspaces;
  private final Map<String, LocationStream> locations = new LinkedHashMap<>();

  private long offset = NONE;
  private long epoch = NONE;

  /** Whether the worker may have locations that this reader hasn't heard of. */
  private boolean suspect;

  private @Nullable Announcement announcement;

  /** Whether it is known to be a foreign worker. */
  private boolean foreign;

  /** Whether it registered while it was alive, and hasn't listed what it holds since. */
  private boolean reregistered;

  /** As shown last. */
  private SyncView shownSync = SyncView.NONE;

  private final SignsOfLife signs = new SignsOfLife();
  private long stale;

  /**
   * A worker that nothing is known of.
   *
   * @param syncTimeoutMillis a full sync that is silent for longer is given up
   */
  WorkerStream(
      WorkerId id,
      int partition,
      long syncTimeoutMillis,
      IngestCounters counters,
      Function<String, Keyspace> keyspaces) {
    this.id = id;
    this.partition = partition;
    this.syncTimeoutMillis = syncTimeoutMillis;
    this.counters = counters;
    this.keyspaces = keyspaces;
  }

  /** Goes on where another reader stopped. */
  void resume(WorkerProgress progress, Map<String, KeyTotals> totals) {
    offset = progress.offset();
    epoch = progress.epoch();
    suspect = progress.suspect();
    announce(progress.announcement());
    signs.resume(progress);
    stale = progress.stale();
    reregistered = progress.reregistered();
    progress
        .locations()
        .forEach(
            (name, location) ->
                locations.put(
                    name,
                    LocationStream.resumed(
                        name, counters, location, totals.getOrDefault(name, KeyTotals.NONE))));
  }

  WorkerId id() {
    return id;
  }

  int partition() {
    return partition;
  }

  /** Offset of the last record that changed anything; −1 = none. */
  long offset() {
    return offset;
  }

  long epoch() {
    return epoch;
  }

  /** When it was heard. */
  SignsOfLife signs() {
    return signs;
  }

  /** What it told of itself last. */
  @Nullable Announcement announcement() {
    return announcement;
  }

  /** Whether silence means anything: a foreign worker may have its heartbeats switched off. */
  boolean isExpectedToBeat() {
    return !foreign || signs.heartbeatOffset() != SignsOfLife.NONE;
  }

  /** Whether some of the worker's keys may be wrong. */
  boolean isSuspect() {
    return suspect || locations.values().stream().anyMatch(LocationStream::isSuspect);
  }

  /** The reader has missed a part of the log. */
  void suspect() {
    suspect = true;
    locations.values().forEach(LocationStream::suspect);
  }

  /**
   * What the record changes; null if nothing. Records come in order, each once.
   *
   * @throws IllegalArgumentException if it names no keyspace or location, or a life that can't be;
   *     the stream is as before
   */
  @Nullable Decision decide(LogRecord record) {
    LogEvent event = record.event();
    Keyspace keyspace = keyspaceOf(event);
    long life = event instanceof WorkerUp ? record.offset() : event.epoch();
    if (life > record.offset() || life < 0) {
      throw new IllegalArgumentException("No record so far begins the epoch " + life);
    }
    if (life < epoch) {
      stale++;
      counters.stale.increment();
      return null;
    }
    RecordNames.require(event, life == epoch ? locations.keySet() : Set.of());
    long expected = offset;
    Steps steps = new Steps();
    if (life > epoch) {
      begin(life, record, steps);
    }
    offset = record.offset();
    signs.seen(record);
    foreign |= keyspace != null && keyspace.isForeign();
    apply(record, keyspace, steps);
    if (steps.isListed()) {
      // Now, not when the index has answered: a view that keeps the progress stores it with this.
      suspect = false;
      reregistered = false;
    }
    WorkerChange change =
        new WorkerChange(
            id, expected, offset, event instanceof WorkerDown, steps.steps(), this::progress);
    return new Decision(this, change, List.copyOf(steps.checks()), List.copyOf(steps.notes()));
  }

  private void begin(long life, LogRecord record, Steps steps) {
    boolean resumed = record.event() instanceof WorkerUp up && Boolean.TRUE.equals(up.resumed());
    reregistered = resumed || (epoch != NONE && isForeign(record.event()));
    if (epoch != NONE) {
      steps.add(new ChangeStep.Drop());
    }
    epoch = life;
    suspect = resumed || !(record.event() instanceof WorkerUp);
    locations.clear();
    announcement = null;
    foreign = false;
    shownSync = SyncView.NONE;
    signs.begin(record, resumed);
  }

  private static boolean isForeign(LogEvent event) {
    return event instanceof WorkerUp up && up.announcement().kind() == WorkerKind.FOREIGN;
  }

  private @Nullable Keyspace keyspaceOf(LogEvent event) {
    return switch (event) {
      case BatchedKVOperation batch -> keyspaces.apply(batch.keyspace());
      case SnapshotBatch batch -> keyspaces.apply(batch.keyspace());
      default -> null;
    };
  }

  private void apply(LogRecord record, @Nullable Keyspace keyspace, Steps steps) {
    switch (record.event()) {
      case WorkerUp up -> announce(up.announcement());
      case Heartbeat heartbeat -> heartbeat(heartbeat, record, steps);
      case BatchedKVOperation batch ->
          location(batch.location())
              .operations(requireNonNull(keyspace), batch.operations(), steps);
      case SnapshotStart start -> snapshotStart(start, record.timestampMillis(), steps);
      case SnapshotBatch batch ->
          snapshotBatch(batch, requireNonNull(keyspace), record.timestampMillis(), steps);
      case SnapshotEnd end -> snapshotEnd(end, record.timestampMillis(), steps);
      case WorkerDown down -> steps.add(new ChangeStep.Drop());
      case Tick tick -> throw new IllegalArgumentException("A tick is of no worker");
    }
  }

  private void snapshotStart(SnapshotStart start, long millis, Steps steps) {
    LocationStream location = location(start.location());
    Integer batchCount = start.batchCount();
    if (batchCount == null) {
      location.snapshotStart(start, steps);
    } else {
      // A foreign worker has one sync at a time.
      locations.values().stream()
          .filter(LocationStream::isSyncing)
          .forEach(syncing -> syncing.voidSnapshot(steps));
      location.syncStart(start, batchCount, millis, steps);
    }
  }

  private void snapshotBatch(SnapshotBatch batch, Keyspace keyspace, long millis, Steps steps) {
    LocationStream location = location(batch.location());
    if (keyspace.isForeign()) {
      location.syncBatch(batch, keyspace, millis, steps);
    } else {
      location.snapshotBatch(batch, keyspace, steps);
    }
  }

  private void snapshotEnd(SnapshotEnd end, long millis, Steps steps) {
    LocationStream location = location(end.location());
    if (end.batchCount() == SnapshotEnd.UNTOLD) {
      location.syncEnd(end, millis, steps);
    } else {
      location.snapshotEnd(end, steps);
    }
  }

  private void heartbeat(Heartbeat heartbeat, LogRecord record, Steps steps) {
    announce(heartbeat.announcement());
    signs.heartbeat(heartbeat, record, foreign);
    for (LocationState state : heartbeat.locations()) {
      location(state.location()).heartbeat(state, steps);
    }
    long since = record.timestampMillis() - syncTimeoutMillis;
    locations.values().forEach(location -> location.voidSilentSync(since, steps));
    EnginePosition position = heartbeat.announcement().position();
    if (heartbeat.announcement().kind() == WorkerKind.AGENT) {
      suspect = false;
    } else if (position != null && position.holes() > 0) {
      suspect = true;
    }
  }

  private LocationStream location(String name) {
    LocationStream location = locations.get(name);
    if (location == null) {
      location =
          suspect
              ? LocationStream.fromTheMiddle(name, counters)
              : LocationStream.fromItsStart(name, foreign, counters);
      locations.put(name, location);
    }
    return location;
  }

  private void announce(@Nullable Announcement told) {
    announcement = told;
    foreign |= told != null && told.kind() == WorkerKind.FOREIGN;
  }

  /** The index has made the change of a decision. */
  void settle(Decision decision, ChangeOutcome.Applied applied) {
    List<KeyTotals> totals = applied.totals();
    if (totals.isEmpty()) {
      settleUncounted(decision);
      return;
    }
    List<ChangeStep> steps = decision.change().steps();
    for (int i = 0; i < steps.size(); i++) {
      String name = steps.get(i).location();
      LocationStream location = name == null ? null : locations.get(name);
      if (location != null) {
        location.settle(totals.get(i));
        if (applied.unplaced() > 0) {
          location.leftOut();
        }
      }
    }
    for (Decision.Check check : decision.checks()) {
      check.location().settle(totals.get(check.step()), check);
    }
  }

  /**
   * The index keeps no chunks: the worker is taken at its word, and what was missed is made good by
   * a whole snapshot.
   */
  private void settleUncounted(Decision decision) {
    for (Decision.Check check : decision.checks()) {
      ChangeStep step = decision.change().steps().get(check.step());
      check.location().settleUncounted(check, step instanceof ChangeStep.SnapshotApply);
    }
  }

  WorkerProgress progress() {
    Map<String, LocationProgress> progress = new HashMap<>();
    locations.forEach((name, location) -> progress.put(name, location.progress()));
    return new WorkerProgress(
        partition,
        offset,
        epoch,
        suspect,
        announcement,
        signs.registeredMillis(),
        signs.heartbeatMillis(),
        signs.heartbeatOffset(),
        signs.seenMillis(),
        stale,
        reregistered,
        progress);
  }

  WorkerView view(boolean silent) {
    Map<String, LocationView> views = new HashMap<>();
    locations.forEach((name, location) -> views.put(name, location.view()));
    boolean maybeWrong = isSuspect();
    WorkerState state = maybeWrong ? WorkerState.SUSPECT : WorkerState.LIVE;
    return new WorkerView(
        id,
        silent ? WorkerState.SILENT : state,
        maybeWrong,
        epoch,
        announcement,
        views,
        signs.registeredMillis(),
        signs.heartbeatMillis(),
        signs.seenMillis(),
        partition,
        offset,
        stale,
        sync(),
        signs.lastBeat());
  }

  private SyncView sync() {
    shownSync =
        foreign
            ? SyncViews.of(locations, reregistered, suspect, shownSync, signs.seenMillis())
            : SyncView.NONE;
    return shownSync;
  }
}
