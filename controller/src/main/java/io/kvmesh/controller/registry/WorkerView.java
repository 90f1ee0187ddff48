package io.kvmesh.controller.registry;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Announcement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A worker as of one moment of the log. Times are the log's own (broker's clock), in milliseconds.
 *
 * @param announcement what it told of itself last; null until a record has told it
 * @param suspect whether some of its keys may be wrong; also while it is silent
 * @param registeredMillis of its first record known here
 * @param lastHeartbeatMillis of its last heartbeat; −1 = none yet
 * @param lastSeenMillis of its last record of any kind
 * @param partition of the log that it is on
 * @param appliedOffset of its last record applied
 * @param stale records of older epochs that were dropped
 * @param sync full syncs of a foreign worker
 * @param lastBeat what its last heartbeat told besides the announcement
 */
public record WorkerView(
    WorkerId id,
    WorkerState state,
    boolean suspect,
    long epoch,
    @Nullable Announcement announcement,
    Map<String, LocationView> locations,
    long registeredMillis,
    long lastHeartbeatMillis,
    long lastSeenMillis,
    int partition,
    long appliedOffset,
    long stale,
    SyncView sync,
    LastBeat lastBeat) {

  /** Copies the map. */
  public WorkerView {
    locations = Map.copyOf(locations);
  }

  /** The workers of each instance; instances and workers in the order in which they come. */
  public static Map<String, List<WorkerView>> byInstance(List<WorkerView> workers) {
    return workers.stream()
        .collect(
            Collectors.groupingBy(
                worker -> worker.id().instanceId(), LinkedHashMap::new, Collectors.toList()));
  }

  /** Chunks held, over all locations. */
  public long residentCount() {
    return locations.values().stream().mapToLong(LocationView::residentCount).sum();
  }

  /** Number of the last operation applied, of the location that is farthest; −1 = none known. */
  public long appliedSequence() {
    return locations.values().stream().mapToLong(LocationView::sequence).max().orElse(-1);
  }

  /** Times that operations were missing, over all locations. */
  public long gaps() {
    return locations.values().stream().mapToLong(LocationView::gaps).sum();
  }

  /** Operations that came again, over all locations. */
  public long duplicates() {
    return locations.values().stream().mapToLong(LocationView::duplicates).sum();
  }

  /** Snapshots that were applied whole, over all locations. */
  public long snapshots() {
    return locations.values().stream().mapToLong(LocationView::snapshots).sum();
  }
}
