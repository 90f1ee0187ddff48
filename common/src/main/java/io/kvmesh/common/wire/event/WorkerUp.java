package io.kvmesh.common.wire.event;

import io.kvmesh.common.wire.FormatNumber;
import io.kvmesh.common.wire.Formats;

/** A worker starts a life. The epoch is 0: the offset of this record is it. */
public record WorkerUp(
    @FormatNumber int format,
    String instanceId,
    int workerId,
    long epoch,
    Announcement announcement)
    implements LogEvent {

  /** In the current format. */
  public WorkerUp(String instanceId, int workerId, long epoch, Announcement announcement) {
    this(Formats.CURRENT, instanceId, workerId, epoch, announcement);
  }
}
