package io.kvmesh.common.wire.directory;

import io.kvmesh.common.wire.OrderedMaps;
import java.util.Map;

/** Holders by instance; the first entry is the one that routers take. */
public record LookupRetMsg(String eventId, Map<String, TokenLayout> layoutInfo)
    implements OrchestrationMessage {

  /** Copies the collections. */
  public LookupRetMsg {
    layoutInfo = OrderedMaps.copyOf(layoutInfo);
  }
}
