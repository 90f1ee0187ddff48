package io.kvmesh.controller.ingest;

import io.kvmesh.controller.index.SyncProgress;
import io.kvmesh.controller.registry.SyncView;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the registry shows of a foreign worker's full syncs. */
final class SyncViews {

  /** The location that LMCache workers list in a full sync; nothing mends their others. */
  private static final String SYNCED_LOCATION = "LocalCPUBackend";

  private SyncViews() {}

  /**
   * @param reregistered whether the worker registered while it was alive, with no sync since
   * @param incomplete whether a part of its log was never read
   * @param before what was shown before
   * @param millis the log's time
   */
  static SyncView of(
      Map<String, LocationStream> locations,
      boolean reregistered,
      boolean incomplete,
      SyncView before,
      long millis) {
    String where = null;
    SyncProgress latest = null;
    for (Map.Entry<String, LocationStream> location : locations.entrySet()) {
      SyncProgress sync = location.getValue().sync();
      if (sync != null && (latest == null || sync.lastMillis() >= latest.lastMillis())) {
        where = location.getKey();
        latest = sync;
      }
    }
    LocationStream listed = locations.get(SYNCED_LOCATION);
    boolean gap = listed != null && listed.isSuspect();
    SyncView.Wanted wanted =
        latest == null
            ? wanted(reregistered, incomplete, gap)
            : wanted(latest, reregistered, incomplete, gap);
    long since = before.wanted() == null ? millis : before.wantedMillis();
    return new SyncView(
        wanted,
        wanted == null ? -1 : since,
        where == null || latest == null ? null : view(where, latest));
  }

  private static SyncView.@Nullable Wanted wanted(
      SyncProgress latest, boolean reregistered, boolean incomplete, boolean gap) {
    return switch (latest.state()) {
      case RUNNING -> null;
      case FAILED -> SyncView.Wanted.FAILED;
      case COMPLETE -> wanted(reregistered, incomplete, gap);
    };
  }

  private static SyncView.@Nullable Wanted wanted(
      boolean reregistered, boolean incomplete, boolean gap) {
    if (reregistered) {
      return SyncView.Wanted.REREGISTERED;
    }
    if (incomplete) {
      return SyncView.Wanted.INCOMPLETE;
    }
    return gap ? SyncView.Wanted.GAP : null;
  }

  private static SyncView.Sync view(String location, SyncProgress sync) {
    SyncView.State state =
        switch (sync.state()) {
          case RUNNING -> SyncView.State.RUNNING;
          case COMPLETE -> SyncView.State.COMPLETE;
          case FAILED -> SyncView.State.FAILED;
        };
    return new SyncView.Sync(
        sync.id(), location, state, sync.batchCount(), sync.received(), sync.hasAllBatches());
  }
}
