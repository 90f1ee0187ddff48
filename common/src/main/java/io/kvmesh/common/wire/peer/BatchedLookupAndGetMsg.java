package io.kvmesh.common.wire.peer;

import io.kvmesh.common.wire.Extension;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Send the longest prefix of these chunks that you hold. The indexes are pages of the receiver; the
 * epochs are the receiver's own, and the one it knows of the owner.
 *
 * @param traceparent of the trace that this belongs to, as W3C writes it
 */
public record BatchedLookupAndGetMsg(
    String lookupId,
    String receiverId,
    List<String> keys,
    List<Long> memIndexes,
    @Extension @Nullable Long epoch,
    @Extension @Nullable Long peerEpoch,
    @Extension @Nullable String traceparent)
    implements PeerRequest {

  /** Copies the collections. */
  public BatchedLookupAndGetMsg {
    keys = List.copyOf(keys);
    memIndexes = List.copyOf(memIndexes);
  }

  /** Without a trace. */
  public BatchedLookupAndGetMsg(
      String lookupId,
      String receiverId,
      List<String> keys,
      List<Long> memIndexes,
      @Nullable Long epoch,
      @Nullable Long peerEpoch) {
    this(lookupId, receiverId, keys, memIndexes, epoch, peerEpoch, null);
  }

  /** Without extensions: as LMCache writes it. */
  public BatchedLookupAndGetMsg(
      String lookupId, String receiverId, List<String> keys, List<Long> memIndexes) {
    this(lookupId, receiverId, keys, memIndexes, null, null, null);
  }
}
