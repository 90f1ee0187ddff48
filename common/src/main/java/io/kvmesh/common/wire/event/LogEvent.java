package io.kvmesh.common.wire.event;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.Message;

/**
 * A record's value. All have the format, the worker and its epoch first. Sequence numbers count the
 * operations of a worker's location within an epoch, from 1.
 */
public sealed interface LogEvent extends Message
    permits WorkerUp,
        Heartbeat,
        BatchedKVOperation,
        SnapshotStart,
        SnapshotBatch,
        SnapshotEnd,
        WorkerDown,
        Tick {

  /** Format number of the record. */
  int format();

  /** The worker's instance; empty in a {@link Tick}. */
  String instanceId();

  /** The worker's rank. */
  int workerId();

  /** The worker's life: log offset of its {@link WorkerUp}. */
  long epoch();

  /**
   * The worker that the record is of.
   *
   * @throws io.kvmesh.common.key.KeyFormatException if the record names none
   */
  default WorkerId worker() {
    return new WorkerId(instanceId(), workerId());
  }
}
