package io.kvmesh.controller.registry;

import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.WorkerKind;
import java.util.Collection;

/**
 * The full syncs of all foreign workers, as of one moment. A worker counts if it isn't silent, and
 * has no need of a sync or can be expected to begin one: it sends heartbeats, so that it can be
 * asked, and hasn't sent them for {@link #PATIENCE_MILLIS} without beginning. Others would wait for
 * the rest for ever, frozen.
 *
 * @param registered foreign workers that count
 * @param syncing those with a sync under way
 * @param completed those whose keys need no sync
 * @param missingBatches of all syncs under way
 */
public record SyncTotals(int registered, int syncing, int completed, long missingBatches) {

  /** A worker that was asked for so long knows no full sync, or won't begin. */
  private static final long PATIENCE_MILLIS = 60_000;

  /** The totals of these workers; agents don't count. */
  public static SyncTotals of(Collection<WorkerView> workers) {
    int registered = 0;
    int syncing = 0;
    int completed = 0;
    long missing = 0;
    for (WorkerView worker : workers) {
      SyncView sync = worker.sync();
      if (!counts(worker)) {
        continue;
      }
      registered++;
      if (sync.isDone()) {
        completed++;
      }
      if (sync.latest() != null && sync.isRunning()) {
        syncing++;
        missing += sync.latest().missing().size();
      }
    }
    return new SyncTotals(registered, syncing, completed, missing);
  }

  private static boolean counts(WorkerView worker) {
    Announcement announcement = worker.announcement();
    return announcement != null
        && announcement.kind() == WorkerKind.FOREIGN
        && worker.state() != WorkerState.SILENT
        && (worker.sync().wanted() == null || mayBegin(worker));
  }

  private static boolean mayBegin(WorkerView worker) {
    return worker.lastHeartbeatMillis() >= 0
        && worker.lastHeartbeatMillis() - worker.sync().wantedMillis() <= PATIENCE_MILLIS;
  }

  /** Share of the workers that are done, 0 to 1; 0 where there are none. */
  public double progress() {
    return registered == 0 ? 0 : (double) completed / registered;
  }
}
