package io.kvmesh.common.wire.peer;

import io.kvmesh.common.wire.Extension;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How many chunks follow. Ours: the owner's epoch, the loan to be ended by {@link
 * BatchedGetDoneMsg}, and by chunk its bytes, tokens and checksum. Where chunks are read out of
 * shared memory none follows, and there is by chunk where it begins in that, and the generation of
 * its memory. Where some chunks come compressed, which the receiver's handshake allowed, there is
 * by chunk how many bytes follow of it and the method, as commands name it; 0 and the empty text
 * where its body follows. The checksum is always that of the body.
 */
public record BatchedLookupAndGetRetMsg(
    int numHitChunks,
    @Extension @Nullable Long epoch,
    @Extension @Nullable Long loanId,
    @Extension @Nullable List<Integer> lengths,
    @Extension @Nullable List<Integer> tokens,
    @Extension @Nullable List<Long> checksums,
    @Extension @Nullable List<Long> pageOffsets,
    @Extension @Nullable List<Integer> generations,
    @Extension @Nullable List<Integer> compressedLengths,
    @Extension @Nullable List<String> compressedBy)
    implements PeerReply {

  /** Copies the collections. */
  public BatchedLookupAndGetRetMsg {
    lengths = lengths == null ? null : List.copyOf(lengths);
    tokens = tokens == null ? null : List.copyOf(tokens);
    checksums = checksums == null ? null : List.copyOf(checksums);
    pageOffsets = pageOffsets == null ? null : List.copyOf(pageOffsets);
    generations = generations == null ? null : List.copyOf(generations);
    compressedLengths = compressedLengths == null ? null : List.copyOf(compressedLengths);
    compressedBy = compressedBy == null ? null : List.copyOf(compressedBy);
  }

  /** Of chunks whose bodies can be read. */
  public BatchedLookupAndGetRetMsg(
      int numHitChunks,
      @Nullable Long epoch,
      @Nullable Long loanId,
      @Nullable List<Integer> lengths,
      @Nullable List<Integer> tokens,
      @Nullable List<Long> checksums,
      @Nullable List<Long> pageOffsets,
      @Nullable List<Integer> generations) {
    this(
        numHitChunks,
        epoch,
        loanId,
        lengths,
        tokens,
        checksums,
        pageOffsets,
        generations,
        null,
        null);
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
