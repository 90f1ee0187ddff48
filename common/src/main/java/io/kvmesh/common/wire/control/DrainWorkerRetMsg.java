package io.kvmesh.common.wire.control;

import io.kvmesh.common.wire.OrderedMaps;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Ours: a drain, at its end or as far as it is.
 *
 * @param numTokens whose chunks are at targets
 * @param epoch of the worker's life
 * @param sequence of its last event
 * @param chunks how many there are
 * @param bytes how long the bodies of those at targets are
 * @param outcomes how many chunks, by what became of them
 * @param targets addresses of those that took some
 * @param left keys of chunks that were left; of more than there is room for, the first
 * @param leftWhy what became of these, in the same order
 * @param stopped why not all were handed over; null if they were, or it isn't over
 */
public record DrainWorkerRetMsg(
    long numTokens,
    long epoch,
    long sequence,
    long chunks,
    long bytes,
    Map<MoveOutcome, Integer> outcomes,
    List<String> targets,
    List<String> left,
    List<MoveOutcome> leftWhy,
    @Nullable String stopped)
    implements ControlReply {

  /** Copies the collections. */
  public DrainWorkerRetMsg {
    outcomes = OrderedMaps.copyOf(outcomes);
    targets = List.copyOf(targets);
    left = List.copyOf(left);
    leftWhy = List.copyOf(leftWhy);
  }
}
