package io.kvmesh.common.wire.control;

import io.kvmesh.common.wire.DefaultValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Ours: bring this prefix here from peers, the chunks of these keys or of these tokens. The reply
 * comes when that is over.
 *
 * @param workerEventId by which it is asked for and cancelled
 * @param deadlineMillis in which it is to be over; 0 = the worker's own bound, which holds always
 */
public record PrefetchWorkerMsg(
    String workerEventId,
    String location,
    @DefaultValue @Nullable List<Long> tokens,
    @DefaultValue @Nullable List<String> keys,
    @DefaultValue("0") long deadlineMillis)
    implements ControlRequest {

  /** Copies the collections. */
  public PrefetchWorkerMsg {
    tokens = tokens == null ? null : List.copyOf(tokens);
    keys = keys == null ? null : List.copyOf(keys);
  }
}
