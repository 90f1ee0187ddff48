package io.kvmesh.common.wire.peer;

import io.kvmesh.common.wire.Extension;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How many chunks follow. Ours: the owner's epoch, the loan to be ended by {@link
 * BatchedGetDoneMsg}, and by chunk its bytes, tokens and checksum.
 */
public record BatchedLookupAndGetRetMsg(
    int numHitChunks,
    @Extension @Nullable Long epoch,
    @Extension @Nullable Long loanId,
    @Extension @Nullable List<Integer> lengths,
    @Extension @Nullable List<Integer> tokens,
    @Extension @Nullable List<Long> checksums)
    implements PeerReply {

  /** Copies the collections. */
  public BatchedLookupAndGetRetMsg {
    lengths = lengths == null ? null : List.copyOf(lengths);
    tokens = tokens == null ? null : List.copyOf(tokens);
    checksums = checksums == null ? null : List.copyOf(checksums);
  }

  /** Without extensions: as LMCache writes it. */
  public BatchedLookupAndGetRetMsg(int numHitChunks) {
    this(numHitChunks, null, null, null, null, null);
  }
}
