package io.kvmesh.agent.transfer;

import io.kvmesh.common.wire.peer.BatchedLookupAndGetRetMsg;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a reply says of its chunks, whatever way their bytes come.
 *
 * @param lengths bytes by chunk, each at least 1
 * @param tokens by chunk, none negative
 * @param checksums by chunk, see ChunkChecksum
 */
record DeliveredChunks(List<Integer> lengths, List<Integer> tokens, List<Long> checksums) {

  /**
   * Checks the reply to a request for {@code asked} chunks. They may be longer than a page: such a
   * chunk ends the prefix where it can't be kept.
   *
   * @throws BrokenReplyException if it can't be an answer to it
   */
  static DeliveredChunks of(BatchedLookupAndGetRetMsg reply, int asked)
      throws BrokenReplyException {
    int chunks = reply.numHitChunks();
    require(chunks >= 0 && chunks <= asked, "%d chunks came, %d were asked for", chunks, asked);
    List<Integer> lengths = listOf(reply.lengths(), chunks, "lengths");
    List<Integer> tokens = listOf(reply.tokens(), chunks, "tokens");
    List<Long> checksums = listOf(reply.checksums(), chunks, "checksums");
    for (int i = 0; i < chunks; i++) {
      int length = lengths.get(i);
      require(length > 0, "chunk %d of %d bytes", i, length);
      require(tokens.get(i) >= 0, "chunk %d of %d tokens", i, tokens.get(i));
    }
    return new DeliveredChunks(lengths, tokens, checksums);
  }

  /** Bytes of all. */
  long bytes() {
    return lengths.stream().mapToLong(Integer::longValue).sum();
  }

  /** How many there are. */
  int count() {
    return lengths.size();
  }

  /**
   * A list of a reply, which must have an entry for each chunk.
   *
   * @param values null where the reply doesn't have it
   */
  static <T> List<T> listOf(@Nullable List<T> values, int chunks, String name)
      throws BrokenReplyException {
    if (values == null) {
      require(chunks == 0, "%d chunks came without their %s", chunks, name);
      return List.of();
    }
    require(values.size() == chunks, "%d %s for %d chunks", values.size(), name, chunks);
    return values;
  }

  static void require(boolean holds, String fault, Object... details) throws BrokenReplyException {
    if (!holds) {
      throw new BrokenReplyException(fault.formatted(details));
    }
  }
}
