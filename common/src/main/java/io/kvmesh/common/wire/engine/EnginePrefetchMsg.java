package io.kvmesh.common.wire.engine;

import io.kvmesh.common.wire.Extension;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Brings this prefix here from peers, in the background. It ends with its session.
 *
 * @param deadlineMillis in which it is to be over; 0 = the agent's own bound, which holds always
 * @param traceparent of the trace that this belongs to, as W3C writes it
 */
public record EnginePrefetchMsg(
    long sessionId, List<String> keys, long deadlineMillis, @Extension @Nullable String traceparent)
    implements EngineRequest {

  /** Copies the collections. */
  public EnginePrefetchMsg {
    keys = List.copyOf(keys);
  }

  /** Without a trace. */
  public EnginePrefetchMsg(long sessionId, List<String> keys, long deadlineMillis) {
    this(sessionId, keys, deadlineMillis, null);
  }
}
