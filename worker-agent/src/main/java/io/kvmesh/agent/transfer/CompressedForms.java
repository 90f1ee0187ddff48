package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.CompressionMethod;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetRetMsg;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which chunks of a reply come compressed, and how.
 *
 * @param chunks what the reply says of their bodies
 * @param lengths by chunk, bytes that come where it is compressed, fewer than its body has; else 0
 * @param methods by chunk, null where it isn't compressed; empty where none is
 */
record CompressedForms(
    DeliveredChunks chunks, List<Integer> lengths, List<@Nullable CompressionMethod> methods) {

  /**
   * Checks what a reply says.
   *
   * @throws BrokenReplyException if that can't be
   */
  static CompressedForms of(BatchedLookupAndGetRetMsg reply, DeliveredChunks chunks)
      throws BrokenReplyException {
    if (reply.compressedLengths() == null && reply.compressedBy() == null) {
      return new CompressedForms(chunks, List.of(), List.of());
    }
    int count = chunks.count();
    List<Integer> lengths =
        DeliveredChunks.listOf(reply.compressedLengths(), count, "compressed lengths");
    List<String> names = DeliveredChunks.listOf(reply.compressedBy(), count, "methods");
    List<@Nullable CompressionMethod> methods = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int length = lengths.get(i);
      int full = chunks.lengths().get(i);
      DeliveredChunks.require(
          length >= 0 && length < full, "chunk %d of %d bytes compressed to %d", i, full, length);
      CompressionMethod method = CompressionMethod.named(names.get(i)).orElse(null);
      DeliveredChunks.require(
          (length == 0) == names.get(i).isEmpty() && (length == 0) == (method == null),
          "chunk %d compressed to %d bytes by '%s'",
          i,
          length,
          names.get(i));
      methods.add(method);
    }
    return new CompressedForms(chunks, lengths, methods);
  }

  /** How the chunk is compressed; null = it isn't. */
  @Nullable CompressionMethod method(int chunk) {
    return methods.isEmpty() ? null : methods.get(chunk);
  }

  /** Bytes that come of the chunk. */
  int length(int chunk) {
    return method(chunk) == null ? chunks.lengths().get(chunk) : lengths.get(chunk);
  }
}
