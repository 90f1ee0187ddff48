package io.kvmesh.common.wire.event;

import io.kvmesh.common.wire.FormatNumber;
import io.kvmesh.common.wire.Formats;

/**
 * The end of a snapshot: how many batches it had, and what was resident then. A foreign worker
 * tells neither batches nor digest at the end.
 */
public record SnapshotEnd(
    @FormatNumber int format,
    String instanceId,
    int workerId,
    long epoch,
    String location,
    String snapshotId,
    int batchCount,
    long sequence,
    long residentCount,
    long digest)
    implements LogEvent {

  /** The number of batches where the end of a foreign worker's list doesn't tell it. */
  public static final int UNTOLD = -1;

  /** In the current format. */
  public SnapshotEnd(
      String instanceId,
      int workerId,
      long epoch,
      String location,
      String snapshotId,
      int batchCount,
      long sequence,
      long residentCount,
      long digest) {
    this(
        Formats.CURRENT,
        instanceId,
        workerId,
        epoch,
        location,
        snapshotId,
        batchCount,
        sequence,
        residentCount,
        digest);
  }
}
