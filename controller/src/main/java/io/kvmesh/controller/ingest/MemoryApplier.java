package io.kvmesh.controller.ingest;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.DownReason;
import io.kvmesh.common.wire.event.WorkerDown;
import io.kvmesh.controller.index.ChangeOutcome;
import io.kvmesh.controller.index.KeyTotals;
import io.kvmesh.controller.index.LocalView;
import io.kvmesh.controller.index.WorkerProgress;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerState;
import io.kvmesh.controller.registry.WorkerView;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies records to the view in memory, and shows what has come of them: in the registry, and to
 * those who wait. Belongs to its reader's thread.
 */
final class MemoryApplier {

  private static final Logger log = LoggerFactory.getLogger(MemoryApplier.class);

  /** Time of a partition after which its workers' silence is looked at again. */
  private static final long SILENCE_STEP_MILLIS = 250;

  private final LocalView index;
  private final WorkerRegistry registry;
  private final AppliedBarriers barriers;
  private final WorkerStreams streams;
  private final IngestCounters counters;
  private final TrailWriter trail;

  private final Set<WorkerId> changed = new LinkedHashSet<>();
  private final Set<Integer> touched = new HashSet<>();
  private final Map<Integer, Long> silenceChecked = new HashMap<>();

  MemoryApplier(
      LocalView index,
      WorkerRegistry registry,
      AppliedBarriers barriers,
      WorkerStreams streams,
      IngestCounters counters,
      TrailWriter trail) {
    this.index = index;
    this.registry = registry;
    this.barriers = barriers;
    this.streams = streams;
    this.counters = counters;
    this.trail = trail;
  }

  WorkerStreams streams() {
    return streams;
  }

  LocalView index() {
    return index;
  }

  /**
   * Applies the record; {@link #publish} shows it.
   *
   * @throws IllegalArgumentException if it is no record that a worker may write there
   */
  void apply(LogRecord record) {
    touched.add(record.partition());
    Decision decision = streams.decide(record);
    if (decision == null) {
      trail.passedOver(record, streams);
      return;
    }
    WorkerId worker = decision.change().worker();
    changed.add(worker);
    if (record.event() instanceof WorkerDown down && down.reason() == DownReason.EXPIRED) {
      registry.writeOff(worker, down.epoch(), record.timestampMillis());
    }
    switch (index.apply(decision.change())) {
      case ChangeOutcome.Applied applied -> {
        decision.stream().settle(decision, applied);
        counters.unplaced.add(applied.unplaced());
        trail.applied(record, decision);
      }
      // Stream and index can't differ.
      case ChangeOutcome.Refused(long held) -> {
        log.error("Worker {} at offset {}: the index holds {}", worker, record.offset(), held);
        counters.refused.increment();
        startAnew(record);
      }
    }
  }

  /** After a fault: its worker is forgotten, comes back with its next record and is suspect. */
  void startAnew(LogRecord record) {
    WorkerId worker = record.event().worker();
    index.forget(worker);
    streams.forget(worker);
    changed.add(worker);
  }

  /**
   * Goes on with a worker where another reader stopped; the index has its keys.
   *
   * @param unplaced those for which it had no room
   */
  void resume(WorkerId worker, WorkerProgress progress, long unplaced) {
    Map<String, KeyTotals> totals = new HashMap<>();
    for (String location : progress.locations().keySet()) {
      totals.put(location, index.totals(worker, location));
    }
    streams.resume(worker, progress, totals);
    counters.unplaced.add(unplaced);
    changed.add(worker);
    if (unplaced > 0) {
      suspect(worker);
    }
  }

  /** Some of the worker's keys may be wrong. */
  void suspect(WorkerId worker) {
    WorkerStream stream = streams.stream(worker);
    if (stream != null) {
      stream.suspect();
      changed.add(worker);
    }
  }

  /** The log no longer holds all that the partition's workers have written. */
  void suspect(int partition) {
    for (WorkerStream stream : streams.of(partition)) {
      stream.suspect();
      changed.add(stream.id());
    }
  }

  /** Shows what has been applied since the last time. */
  void publish() {
    touched.forEach(this::noticeSilence);
    touched.clear();
    for (WorkerId worker : changed) {
      WorkerStream stream = streams.stream(worker);
      if (stream == null) {
        registry.remove(worker);
      } else {
        WorkerView view = stream.view(streams.isSilent(stream));
        trail.shown(registry.worker(worker).orElse(null), view);
        registry.put(view);
      }
      barriers.changed(worker);
    }
    changed.clear();
  }

  private void noticeSilence(int partition) {
    long now = streams.millis(partition);
    if (now - silenceChecked.getOrDefault(partition, 0L) < SILENCE_STEP_MILLIS) {
      return;
    }
    silenceChecked.put(partition, now);
    for (WorkerStream stream : streams.of(partition)) {
      boolean shownSilent =
          registry
              .worker(stream.id())
              .map(WorkerView::state)
              .filter(WorkerState.SILENT::equals)
              .isPresent();
      if (shownSilent != streams.isSilent(stream)) {
        changed.add(stream.id());
      }
    }
  }

  /** The log is another one: nothing that was known holds. */
  void clear() {
    List<WorkerView> known = registry.workers();
    streams.clear();
    index.clear();
    registry.clear();
    changed.clear();
    known.forEach(worker -> barriers.changed(worker.id()));
  }
}
