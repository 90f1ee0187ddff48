package io.kvmesh.controller.index;

import org.jspecify.annotations.Nullable;

/**
 * How far one location's operations have been applied.
 *
 * @param sequence number of the last operation; −1 = not known
 * @param suspect whether some of its keys may be wrong
 * @param gaps times that operations were missing
 * @param duplicates operations that came again
 * @param mismatches times that count or digest differed from the worker's own
 * @param snapshots applied whole
 * @param snapshot the one of an agent that is being followed
 * @param sync the last one of a foreign worker
 */
public record LocationProgress(
    long sequence,
    boolean suspect,
    long gaps,
    long duplicates,
    long mismatches,
    long snapshots,
    @Nullable SnapshotProgress snapshot,
    @Nullable SyncProgress sync) {

  /**
   * A snapshot that is being followed.
   *
   * @param nextBatch number of the batch that must come next
   */
  public record SnapshotProgress(String id, int nextBatch) {}

  /**
   * The same, for a reader that hasn't followed the snapshot or sync from its start. What a sync
   * names from here on is lost to it.
   */
  public LocationProgress withoutSnapshot() {
    boolean lost = sync != null && sync.isRunning();
    return new LocationProgress(
        sequence,
        suspect || lost,
        gaps,
        duplicates,
        mismatches,
        snapshots,
        null,
        sync != null && lost ? sync.over(SyncProgress.State.FAILED) : sync);
  }
}
