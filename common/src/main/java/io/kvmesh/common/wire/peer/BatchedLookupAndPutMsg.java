package io.kvmesh.common.wire.peer;

import java.util.List;

/** Take these chunks from my pages; offsets are tokens by chunk. */
public record BatchedLookupAndPutMsg(
    String senderId, List<String> keys, List<Long> offsets, List<Long> memIndexes)
    implements PeerRequest {

  /** Copies the collections. */
  public BatchedLookupAndPutMsg {
    keys = List.copyOf(keys);
    offsets = List.copyOf(offsets);
    memIndexes = List.copyOf(memIndexes);
  }
}
