package io.kvmesh.common.wire.event;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.Extension;
import io.kvmesh.common.wire.FormatNumber;
import io.kvmesh.common.wire.Formats;
import org.jspecify.annotations.Nullable;

/**
 * The start of a list of all that is resident. The sequence number is that of the last operation
 * before it.
 *
 * <p>A foreign worker's list (its full sync) is told with its size: its batches are written by
 * whoever got them, so some may be missing, come twice or in another order. It has no sequence
 * numbers.
 *
 * @param batchCount of a foreign worker's list; null = an agent's
 * @param totalKeys of a foreign worker's list
 */
public record SnapshotStart(
    @FormatNumber int format,
    String instanceId,
    int workerId,
    long epoch,
    String location,
    String snapshotId,
    long sequence,
    @Extension @Nullable Integer batchCount,
    @Extension @Nullable Long totalKeys)
    implements LogEvent {

  /** An agent's, in the current format. */
  public SnapshotStart(
      String instanceId,
      int workerId,
      long epoch,
      String location,
      String snapshotId,
      long sequence) {
    this(Formats.CURRENT, instanceId, workerId, epoch, location, snapshotId, sequence, null, null);
  }

  /** A foreign worker's, in the current format. */
  public static SnapshotStart ofForeign(
      WorkerId worker,
      long epoch,
      String location,
      String snapshotId,
      int batchCount,
      long totalKeys) {
    return new SnapshotStart(
        Formats.CURRENT,
        worker.instanceId(),
        worker.rank(),
        epoch,
        location,
        snapshotId,
        0,
        batchCount,
        totalKeys);
  }
}
