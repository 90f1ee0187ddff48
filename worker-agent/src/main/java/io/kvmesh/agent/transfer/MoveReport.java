package io.kvmesh.agent.transfer;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.control.MoveOutcome;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How far a move or a drain is, or how it ended.
 *
 * @param id by which it is known
 * @param targets addresses: of a move's one, or of those to which a drain handed chunks over
 * @param chunks how many there are
 * @param outcomes how many of them are done, by what became of them
 * @param tokens whose chunks are at targets
 * @param bytes how long the bodies of these are
 * @param left keys of chunks that aren't at a target, nor known to be elsewhere; of more than are
 *     listed, the first
 * @param leftWhy what became of these
 * @param stopped why it ended before it had tried all; null if it didn't
 * @param sequence of the cache's last event when this was written
 */
public record MoveReport(
    String id,
    List<String> targets,
    int chunks,
    Map<MoveOutcome, Integer> outcomes,
    long tokens,
    long bytes,
    List<ChunkKey> left,
    List<MoveOutcome> leftWhy,
    @Nullable String stopped,
    long sequence) {

  /** Copies the collections. */
  public MoveReport {
    targets = List.copyOf(targets);
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
