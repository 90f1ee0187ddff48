package io.kvmesh.common.wire.directory;

import java.util.List;

/** The workers asked for. */
public record QueryWorkerInfoRetMsg(String eventId, List<WorkerInfo> workerInfos)
    implements OrchestrationMessage {

  /** Copies the collections. */
  public QueryWorkerInfoRetMsg {
    workerInfos = List.copyOf(workerInfos);
  }
}
