package io.kvmesh.common.wire.event;

import io.kvmesh.common.wire.FormatNumber;
import io.kvmesh.common.wire.Formats;

/**
 * The end of a life: the worker said so, or was silent after the heartbeat at this offset (−1:
 * none).
 */
public record WorkerDown(
    @FormatNumber int format,
    String instanceId,
    int workerId,
    long epoch,
    DownReason reason,
    long lastHeartbeatOffset)
    implements LogEvent {

  /** In the current format. */
  public WorkerDown(
      String instanceId, int workerId, long epoch, DownReason reason, long lastHeartbeatOffset) {
    this(Formats.CURRENT, instanceId, workerId, epoch, reason, lastHeartbeatOffset);
  }
}
