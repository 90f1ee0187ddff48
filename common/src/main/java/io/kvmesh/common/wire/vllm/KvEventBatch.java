package io.kvmesh.common.wire.vllm;

import io.kvmesh.common.wire.DefaultValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one step of the engine changed, in order. Always an array on the wire; older engines leave
 * the rank out.
 *
 * @param ts the engine's clock, in seconds since 1970
 */
public record KvEventBatch(
    double ts, List<KvEvent> events, @DefaultValue @Nullable Integer dataParallelRank) {

  /** Copies the list. */
  public KvEventBatch {
    events = List.copyOf(events);
  }
}
