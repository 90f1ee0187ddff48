package io.kvmesh.common.wire.directory;

import io.kvmesh.common.wire.OrderedMaps;
import java.util.Map;

/** Error code by worker id; 0 is good. */
public record HealthRetMsg(String eventId, Map<Integer, Integer> errorCodes)
    implements OrchestrationMessage {

  /** Copies the collections. */
  public HealthRetMsg {
    errorCodes = OrderedMaps.copyOf(errorCodes);
  }
}
