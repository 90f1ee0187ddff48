package io.kvmesh.controller.web;

import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.DrainState;
import io.kvmesh.controller.lookup.Mismatch;
import io.kvmesh.controller.registry.LocationView;
import io.kvmesh.controller.registry.SyncView;
import io.kvmesh.controller.registry.WorkerState;
import io.kvmesh.controller.registry.WorkerView;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A worker, as answers show it. Times are the log's, in milliseconds since 1970.
 *
 * @param sequence of the last operation applied; −1 = not known
 * @param drain whether it is being drained, or was; null if neither
 * @param heartbeatAgeMillis since its last heartbeat, by the log's clock; null if not known
 * @param clockAheadMillis by how much its clock is ahead of the broker's; negative: behind, or its
 *     last heartbeat was so long on its way; null if it does not tell
 * @param lag how far the view is behind in the worker's partition; null if it does not read it
 * @param mismatch in what its announcement differs from the other agents of its model; null if in
 *     nothing
 * @param fullSync of an LMCache worker; null where it has had none and needs none
 */
record WorkerJson(
    String instanceId,
    int rank,
    WorkerState state,
    boolean suspect,
    @Nullable DrainState drain,
    long epoch,
    long sequence,
    long chunks,
    long gaps,
    long duplicates,
    long stale,
    long snapshots,
    int partition,
    long appliedOffset,
    LogProgress.@Nullable Lag lag,
    long registeredMillis,
    long lastHeartbeatMillis,
    @Nullable Long heartbeatAgeMillis,
    long lastSeenMillis,
    @Nullable Long clockAheadMillis,
    @Nullable Announcement announcement,
    @Nullable MismatchJson mismatch,
    @Nullable FullSyncJson fullSync,
    Map<String, LocationJson> locations) {

  static WorkerJson of(
      WorkerView worker, LogProgress.@Nullable Lag lag, @Nullable Mismatch mismatch) {
    Map<String, LocationJson> locations = new TreeMap<>();
    worker.locations().forEach((name, view) -> locations.put(name, LocationJson.of(view)));
    return new WorkerJson(
        worker.id().instanceId(),
        worker.id().rank(),
        worker.state(),
        worker.suspect(),
        worker.lastBeat().drain(),
        worker.epoch(),
        worker.appliedSequence(),
        worker.residentCount(),
        worker.gaps(),
        worker.duplicates(),
        worker.stale(),
        worker.snapshots(),
        worker.partition(),
        worker.appliedOffset(),
        lag,
        worker.registeredMillis(),
        worker.lastHeartbeatMillis(),
        heartbeatAgeMillis(worker, lag),
        worker.lastSeenMillis(),
        worker.lastBeat().clockAheadMillis(),
        worker.announcement(),
        mismatch == null
            ? null
            : new MismatchJson(mismatch.reference().toString(), mismatch.fields()),
        FullSyncJson.of(worker.sync()),
        locations);
  }

  /** Time since the worker's last heartbeat, by the clock that stamped it; null if not known. */
  static @Nullable Long heartbeatAgeMillis(WorkerView worker, LogProgress.@Nullable Lag lag) {
    if (lag == null || lag.logMillis() == null || worker.lastHeartbeatMillis() < 0) {
      return null;
    }
    return Math.max(0, lag.logMillis() - worker.lastHeartbeatMillis());
  }

  /**
   * Why the worker's chunks are of no use to the others of its model.
   *
   * @param reference the worker that it was compared with, as instance/rank
   */
  record MismatchJson(String reference, List<String> fields) {}

  /**
   * An LMCache worker's full sync.
   *
   * @param wanted why the worker should begin one; null if it need not, or is at it
   * @param state of the last one; null if there was none in this life
   * @param missing number of batches that it lacks
   */
  record FullSyncJson(
      SyncView.@Nullable Wanted wanted,
      SyncView.@Nullable State state,
      @Nullable String id,
      @Nullable String location,
      int batches,
      int missing) {

    static @Nullable FullSyncJson of(SyncView sync) {
      SyncView.Sync latest = sync.latest();
      if (latest == null) {
        return sync.wanted() == null
            ? null
            : new FullSyncJson(sync.wanted(), null, null, null, 0, 0);
      }
      return new FullSyncJson(
          sync.wanted(),
          latest.state(),
          latest.id(),
          latest.location(),
          latest.batchCount(),
          latest.missing().size());
    }
  }

  /** What the worker holds at one location; the digest is an unsigned decimal number. */
  record LocationJson(
      long sequence,
      long chunks,
      String digest,
      boolean suspect,
      boolean snapshotRunning,
      long gaps,
      long duplicates,
      long mismatches,
      long snapshots) {

    static LocationJson of(LocationView view) {
      return new LocationJson(
          view.sequence(),
          view.residentCount(),
          HashValue.text(view.digest()),
          view.suspect(),
          view.snapshotRunning(),
          view.gaps(),
          view.duplicates(),
          view.mismatches(),
          view.snapshots());
    }
  }
}
