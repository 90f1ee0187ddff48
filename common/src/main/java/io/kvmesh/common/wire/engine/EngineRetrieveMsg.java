package io.kvmesh.common.wire.engine;

import io.kvmesh.common.wire.Extension;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Send the longest prefix: what is here, then what one peer has. Lease 0 makes a new one, which
 * holds all that is sent.
 *
 * @param traceparent of the trace that this belongs to, as W3C writes it
 */
public record EngineRetrieveMsg(
    long sessionId,
    long leaseId,
    List<String> keys,
    long deadlineMillis,
    @Extension @Nullable String traceparent)
    implements EngineRequest {

  /** Copies the collections. */
  public EngineRetrieveMsg {
    keys = List.copyOf(keys);
  }

  /** Without a trace. */
  public EngineRetrieveMsg(long sessionId, long leaseId, List<String> keys, long deadlineMillis) {
    this(sessionId, leaseId, keys, deadlineMillis, null);
  }
}
