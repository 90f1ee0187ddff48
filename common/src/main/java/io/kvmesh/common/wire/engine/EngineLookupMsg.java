package io.kvmesh.common.wire.engine;

import io.kvmesh.common.wire.Extension;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How long a prefix is resident here, and in the fleet? With a lease the local part is held.
 *
 * @param traceparent of the trace that this belongs to, as W3C writes it
 */
public record EngineLookupMsg(
    long sessionId, List<String> keys, boolean lease, @Extension @Nullable String traceparent)
    implements EngineRequest {

  /** Copies the collections. */
  public EngineLookupMsg {
    keys = List.copyOf(keys);
  }

  /** Without a trace. */
  public EngineLookupMsg(long sessionId, List<String> keys, boolean lease) {
    this(sessionId, keys, lease, null);
  }
}
