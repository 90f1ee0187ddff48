package io.kvmesh.agent.fleet;

import io.kvmesh.common.wire.PrefetchOutcome;
import io.kvmesh.common.wire.PrefetchState;
import java.util.Map;

/**
 * A prefetch as of one moment.
 *
 * @param chunks how many there are
 * @param outcomes how many of them, by what became of them; each of them is there
 * @param tokens whose chunks are here
 * @param reason in one word, of what failed; empty if nothing did
 * @param sequence of the cache's last event
 */
public record PrefetchReport(
    PrefetchId id,
    int chunks,
    Map<PrefetchOutcome, Integer> outcomes,
    long tokens,
    PrefetchState state,
    String reason,
    long sequence) {

  /** Copies the map. */
  public PrefetchReport {
    outcomes = Map.copyOf(outcomes);
  }

  /** How many chunks that became of. */
  public int count(PrefetchOutcome outcome) {
    return outcomes.getOrDefault(outcome, 0);
  }
}
