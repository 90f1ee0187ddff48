package io.kvmesh.agent.drain;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.control.MoveOutcome;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How far a drain is, or how it ended.
 *
 * @param id by which it is known
 * @param targets addresses of those to which chunks were handed over, in turn
 * @param chunks how many there are
 * @param outcomes how many of them are done, by what became of them
 * @param tokens that came to targets
 * @param left keys of the first chunks that nobody else has now
 * @param leftWhy what became of these
 * @param stopped why not all was handed over; null if it was
 * @param sequence of the cache's last event when this was written
 */
public record DrainReport(
    String id,
    List<String> targets,
    int chunks,
    Map<MoveOutcome, Integer> outcomes,
    long tokens,
    List<ChunkKey> left,
    List<MoveOutcome> leftWhy,
    @Nullable String stopped,
    long sequence) {

  /** Copies the collections. */
  public DrainReport {
    targets = List.copyOf(targets);
    outcomes = Map.copyOf(outcomes);
    left = List.copyOf(left);
    leftWhy = List.copyOf(leftWhy);
  }

  /** How many chunks came to this end. */
  public int count(MoveOutcome outcome) {
    return outcomes.getOrDefault(outcome, 0);
  }
}
