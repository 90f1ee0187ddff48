package io.kvmesh.controller.index;

import io.kvmesh.common.wire.event.Announcement;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How far a worker's part of the log has been applied: all that must be kept with the keys for
 * another reader to go on from there. Times are the log's, in milliseconds; −1 = none.
 *
 * @param partition of the log that the worker is on
 * @param offset of its last record applied
 * @param epoch of its life
 * @param suspect whether it may hold locations that this reader hasn't heard of
 * @param announcement what it told of itself last
 * @param registeredMillis of its first record known
 * @param heartbeatMillis of its last heartbeat
 * @param heartbeatOffset of its last heartbeat
 * @param seenMillis of its last record
 * @param stale records of older epochs that were dropped
 * @param reregistered whether a foreign worker that was alive has registered anew, and hasn't told
 *     what it holds since
 */
public record WorkerProgress(
    int partition,
    long offset,
    long epoch,
    boolean suspect,
    @Nullable Announcement announcement,
    long registeredMillis,
    long heartbeatMillis,
    long heartbeatOffset,
    long seenMillis,
    long stale,
    boolean reregistered,
    Map<String, LocationProgress> locations) {

  /** Copies the map. */
  public WorkerProgress {
    locations = Map.copyOf(locations);
  }

  /** The same, for a reader that hasn't followed the running snapshots from their start. */
  public WorkerProgress withoutSnapshots() {
    Map<String, LocationProgress> unfollowed = new HashMap<>();
    locations.forEach((name, location) -> unfollowed.put(name, location.withoutSnapshot()));
    return new WorkerProgress(
        partition,
        offset,
        epoch,
        suspect,
        announcement,
        registeredMillis,
        heartbeatMillis,
        heartbeatOffset,
        seenMillis,
        stale,
        reregistered,
        unfollowed);
  }
}
