package io.kvmesh.common.wire.directory;

import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.KVOperations;
import java.util.List;

/** Admits and evicts of one worker and location, in order. */
public record BatchedKVOperationMsg(
    String instanceId, int workerId, String location, KVOperations operations)
    implements DirectoryPush {

  /** Copies the list. */
  public BatchedKVOperationMsg(
      String instanceId, int workerId, String location, List<KVOpEvent> operations) {
    this(instanceId, workerId, location, KVOperations.of(operations));
  }
}
