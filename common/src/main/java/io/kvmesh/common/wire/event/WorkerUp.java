package io.kvmesh.common.wire.event;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.Extension;
import io.kvmesh.common.wire.FormatNumber;
import io.kvmesh.common.wire.Formats;
import org.jspecify.annotations.Nullable;

/**
 * A worker starts a life. The epoch is 0: the offset of this record is it.
 *
 * @param resumed true for a foreign worker that has been alive before, so that what it holds is not
 *     known: it was heard of by a heartbeat
 */
public record WorkerUp(
    @FormatNumber int format,
    String instanceId,
    int workerId,
    long epoch,
    Announcement announcement,
    @Extension @Nullable Boolean resumed)
    implements LogEvent {

  /** One with nothing yet, in the current format. */
  public WorkerUp(String instanceId, int workerId, long epoch, Announcement announcement) {
    this(Formats.CURRENT, instanceId, workerId, epoch, announcement, null);
  }

  /** A foreign worker that has been alive before, in the current format. */
  public static WorkerUp resumed(WorkerId worker, Announcement announcement) {
    return new WorkerUp(Formats.CURRENT, worker.instanceId(), worker.rank(), 0, announcement, true);
  }
}
