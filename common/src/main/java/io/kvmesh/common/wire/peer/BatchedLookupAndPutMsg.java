package io.kvmesh.common.wire.peer;

import io.kvmesh.common.wire.Extension;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Take these chunks from me; offsets are tokens by chunk, the indexes pages of the sender.
 *
 * @param epoch the sender's own
 * @param peerEpoch the one that the sender knows of the receiver
 * @param moveId of the move that this is a part of: what the receiver has afterwards it holds until
 *     {@link BatchedPutDoneMsg}, for a time
 * @param deadlineMillis after which the sender doesn't wait any more
 * @param drain true: the sender is going, and the receiver puts out only few of its own for it
 */
public record BatchedLookupAndPutMsg(
    String senderId,
    List<String> keys,
    List<Long> offsets,
    List<Long> memIndexes,
    @Extension @Nullable Long epoch,
    @Extension @Nullable Long peerEpoch,
    @Extension @Nullable Long moveId,
    @Extension @Nullable Long deadlineMillis,
    @Extension @Nullable Boolean drain)
    implements PeerRequest {

  /** Copies the collections. */
  public BatchedLookupAndPutMsg {
    keys = List.copyOf(keys);
    offsets = List.copyOf(offsets);
    memIndexes = List.copyOf(memIndexes);
  }

  /** Of a move, or of none. */
  public BatchedLookupAndPutMsg(
      String senderId,
      List<String> keys,
      List<Long> offsets,
      List<Long> memIndexes,
      @Nullable Long epoch,
      @Nullable Long peerEpoch,
      @Nullable Long moveId,
      @Nullable Long deadlineMillis) {
    this(senderId, keys, offsets, memIndexes, epoch, peerEpoch, moveId, deadlineMillis, null);
  }

  /** Without extensions: as LMCache writes it. */
  public BatchedLookupAndPutMsg(
      String senderId, List<String> keys, List<Long> offsets, List<Long> memIndexes) {
    this(senderId, keys, offsets, memIndexes, null, null, null, null, null);
  }
}
