package io.kvmesh.common.wire.control;

import io.kvmesh.common.wire.OrderedMaps;
import io.kvmesh.common.wire.PrefetchOutcome;
import io.kvmesh.common.wire.PrefetchState;
import java.util.Map;

/**
 * Ours: a prefetch, at its end or as far as it is.
 *
 * @param numTokens whose chunks are here
 * @param epoch of the worker's life
 * @param sequence of its last event
 * @param outcomes how many chunks, by what became of them
 * @param reason in one word, of what failed; empty if nothing did
 */
public record PrefetchWorkerRetMsg(
    long numTokens,
    long epoch,
    long sequence,
    Map<PrefetchOutcome, Integer> outcomes,
    PrefetchState state,
    String reason)
    implements ControlReply {

  /** Copies the map. */
  public PrefetchWorkerRetMsg {
    outcomes = OrderedMaps.copyOf(outcomes);
  }
}
