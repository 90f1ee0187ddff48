package io.kvmesh.common.wire.peer;

import io.kvmesh.common.wire.Extension;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How many chunks follow. Ours: the owner's epoch, the loan to be ended by {@link
 * BatchedGetDoneMsg}, and by chunk its bytes, tokens and checksum. Where chunks are read out of
 * shared memory none follows, and there is by chunk where it begins in that, and the generation of
 * its memory.
 */
public record BatchedLookupAndGetRetMsg(
    int numHitChunks,
    @Extension @Nullable Long epoch,
    @Extension @Nullable Long loanId,
    @Extension @Nullable List<Integer> lengths,
    @Extension @Nullable List<Integer> tokens,
    @Extension @Nullable List<Long> checksums,
    @Extension @Nullable List<Long> pageOffsets,
    @Extension @Nullable List<Integer> generations)
    implements PeerReply {

  /** Copies the collections. */
  public BatchedLookupAndGetRetMsg {
    lengths = lengths == null ? null : List.copyOf(lengths);
    tokens = tokens == null ? null : List.copyOf(tokens);
    checksums = checksums == null ? null : List.copyOf(checksums);
    pageOffsets = pageOffsets == null ? null : List.copyOf(pageOffsets);
    generations = generations == null ? null : List.copyOf(generations);
  }

  /** Of chunks that follow. */
  public BatchedLookupAndGetRetMsg(
      int numHitChunks,
      @Nullable Long epoch,
      @Nullable Long loanId,
      @Nullable List<Integer> lengths,
      @Nullable List<Integer> tokens,
      @Nullable List<Long> checksums) {
    this(numHitChunks, epoch, loanId, lengths, tokens, checksums, null, null);
  }

  /** Without extensions: as LMCache writes it. */
  public BatchedLookupAndGetRetMsg(int numHitChunks) {
    this(numHitChunks, null, null, null, null, null);
  }
}
