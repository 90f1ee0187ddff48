package io.kvmesh.common.wire.peer;

import io.kvmesh.common.wire.Extension;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How many chunks were read. Ours: the receiver's epoch, and what became of each chunk, in the
 * order of the keys.
 *
 * @param heldMillis for at least this long after the request was sent the receiver keeps what it
 *     has now of all chunks of the move
 */
public record BatchedLookupAndPutRetMsg(
    int numReadChunks,
    @Extension @Nullable Long epoch,
    @Extension @Nullable List<PutOutcome> outcomes,
    @Extension @Nullable Long heldMillis)
    implements PeerReply {

  /** Copies the collections. */
  public BatchedLookupAndPutRetMsg {
    outcomes = outcomes == null ? null : List.copyOf(outcomes);
  }

  /** Without extensions: as LMCache writes it. */
  public BatchedLookupAndPutRetMsg(int numReadChunks) {
    this(numReadChunks, null, null, null);
  }
}
