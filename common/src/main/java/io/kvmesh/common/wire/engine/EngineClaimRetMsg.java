package io.kvmesh.common.wire.engine;

import java.util.List;

/**
 * What came of each chunk.
 *
 * @param claimId of all that were claimed; 0 = none was
 * @param offsets by chunk, from the start of the file on; −1 where it isn't claimed
 */
public record EngineClaimRetMsg(long claimId, List<ClaimOutcome> outcomes, List<Long> offsets)
    implements EngineReply {

  /** Copies the collections. */
  public EngineClaimRetMsg {
    outcomes = List.copyOf(outcomes);
    offsets = List.copyOf(offsets);
  }
}
