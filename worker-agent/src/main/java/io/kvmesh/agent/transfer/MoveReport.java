package io.kvmesh.agent.transfer;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.control.MoveOutcome;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How far a move is, or how it ended.
 *
 * @param order what was to be done
 * @param chunks how many there are
 * @param outcomes how many of them are done, by what became of them
 * @param tokens that came to the target
 * @param left keys of chunks that aren't at the target; of more than are listed, the first
 * @param leftWhy what became of these
 * @param stopped why it ended before it had tried all; null if it didn't
 * @param sequence of the cache's last event when this was written
 */
public record MoveReport(
    MoveOrder order,
    int chunks,
    Map<MoveOutcome, Integer> outcomes,
    long tokens,
    List<ChunkKey> left,
    List<MoveOutcome> leftWhy,
    @Nullable String stopped,
    long sequence) {

  /** Copies the collections. */
  public MoveReport {
    outcomes = Map.copyOf(outcomes);
    left = List.copyOf(left);
    leftWhy = List.copyOf(leftWhy);
  }

  /** How many chunks came to this end. */
  public int count(MoveOutcome outcome) {
    return outcomes.getOrDefault(outcome, 0);
  }

  /** How many chunks have come to an end. */
  public int done() {
    return outcomes.values().stream().mapToInt(Integer::intValue).sum();
  }
}
