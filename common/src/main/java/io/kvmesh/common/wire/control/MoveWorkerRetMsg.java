package io.kvmesh.common.wire.control;

import io.kvmesh.common.wire.Extension;
import io.kvmesh.common.wire.OrderedMaps;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Number of tokens that came to the target. Ours:
 *
 * @param sequence of the last event that tells of what left
 * @param outcomes how many chunks, by what became of them
 * @param left keys of chunks that aren't at the target; of more than there is room for, the first
 * @param leftWhy what became of these, in the same order
 * @param stopped why the move ended before it had tried all chunks; null if it tried all
 */
public record MoveWorkerRetMsg(
    long numTokens,
    @Extension @Nullable Long epoch,
    @Extension @Nullable Long sequence,
    @Extension @Nullable Map<MoveOutcome, Integer> outcomes,
    @Extension @Nullable List<String> left,
    @Extension @Nullable List<MoveOutcome> leftWhy,
    @Extension @Nullable String stopped)
    implements ControlReply {

  /** Copies the collections. */
  public MoveWorkerRetMsg {
    outcomes = outcomes == null ? null : OrderedMaps.copyOf(outcomes);
    left = left == null ? null : List.copyOf(left);
    leftWhy = leftWhy == null ? null : List.copyOf(leftWhy);
  }

  /** Without extensions: as LMCache writes it. */
  public MoveWorkerRetMsg(long numTokens) {
    this(numTokens, null, null, null, null, null, null);
  }
}
