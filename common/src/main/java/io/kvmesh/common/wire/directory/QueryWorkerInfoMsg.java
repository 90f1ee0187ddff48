package io.kvmesh.common.wire.directory;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tell about the workers of an instance, or of {@code all}; null is every worker. */
public record QueryWorkerInfoMsg(
    String eventId, String instanceId, @Nullable List<Integer> workerIds)
    implements OrchestrationMessage {

  /** Copies the collections. */
  public QueryWorkerInfoMsg {
    workerIds = workerIds == null ? null : List.copyOf(workerIds);
  }
}
