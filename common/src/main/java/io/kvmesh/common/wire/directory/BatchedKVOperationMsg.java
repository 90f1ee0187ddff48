package io.kvmesh.common.wire.directory;

import io.kvmesh.common.wire.KVOpEvent;
import java.util.List;

/** Admits and evicts of one worker and location, in order. */
public record BatchedKVOperationMsg(
    String instanceId, int workerId, String location, List<KVOpEvent> operations)
    implements DirectoryPush {

  /** Copies the collections. */
  public BatchedKVOperationMsg {
    operations = List.copyOf(operations);
  }
}
