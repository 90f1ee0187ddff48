package io.kvmesh.common.wire.engine;

import io.kvmesh.common.wire.Extension;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * As EngineRetrieveMsg, but the chunks are read in place.
 *
 * @param traceparent of the trace that this belongs to, as W3C writes it
 */
public record EngineLeaseMsg(
    long sessionId,
    long leaseId,
    List<String> keys,
    long deadlineMillis,
    @Extension @Nullable String traceparent)
    implements EngineRequest {

  /** Copies the collections. */
  public EngineLeaseMsg {
    keys = List.copyOf(keys);
  }

  /** Without a trace. */
  public EngineLeaseMsg(long sessionId, long leaseId, List<String> keys, long deadlineMillis) {
    this(sessionId, leaseId, keys, deadlineMillis, null);
  }
}
