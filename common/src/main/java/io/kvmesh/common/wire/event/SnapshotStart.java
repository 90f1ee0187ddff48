package io.kvmesh.common.wire.event;

import io.kvmesh.common.wire.FormatNumber;
import io.kvmesh.common.wire.Formats;

/**
 * The start of a list of all that is resident. The sequence number is that of the last operation
 * before it.
 */
public record SnapshotStart(
    @FormatNumber int format,
    String instanceId,
    int workerId,
    long epoch,
    String location,
    String snapshotId,
    long sequence)
    implements LogEvent {

  /** In the current format. */
  public SnapshotStart(
      String instanceId,
      int workerId,
      long epoch,
      String location,
      String snapshotId,
      long sequence) {
    this(Formats.CURRENT, instanceId, workerId, epoch, location, snapshotId, sequence);
  }
}
