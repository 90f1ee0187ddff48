package io.kvmesh.common.wire.event;

import io.kvmesh.common.wire.FormatNumber;
import io.kvmesh.common.wire.Formats;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.KVOperations;
import java.util.List;

/** Admits and evicts of one location and keyspace, in order. */
public record BatchedKVOperation(
    @FormatNumber int format,
    String instanceId,
    int workerId,
    long epoch,
    String location,
    String keyspace,
    KVOperations operations)
    implements LogEvent {

  /** In the current format. */
  public BatchedKVOperation(
      String instanceId,
      int workerId,
      long epoch,
      String location,
      String keyspace,
      List<KVOpEvent> operations) {
    this(
        Formats.CURRENT,
        instanceId,
        workerId,
        epoch,
        location,
        keyspace,
        KVOperations.of(operations));
  }
}
