package io.kvmesh.common.wire.peer;

import io.kvmesh.common.wire.Extension;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Send the longest prefix of these chunks that you hold. The indexes are pages of the receiver; the
 * epochs are the receiver's own, and the one it knows of the owner.
 */
public record BatchedLookupAndGetMsg(
    String lookupId,
    String receiverId,
    List<String> keys,
    List<Long> memIndexes,
    @Extension @Nullable Long epoch,
    @Extension @Nullable Long peerEpoch)
    implements PeerRequest {

  /** Copies the collections. */
  public BatchedLookupAndGetMsg {
    keys = List.copyOf(keys);
    memIndexes = List.copyOf(memIndexes);
  }

  /** Without extensions: as LMCache writes it. */
  public BatchedLookupAndGetMsg(
      String lookupId, String receiverId, List<String> keys, List<Long> memIndexes) {
    this(lookupId, receiverId, keys, memIndexes, null, null);
  }
}
