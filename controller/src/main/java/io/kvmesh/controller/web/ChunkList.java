package io.kvmesh.controller.web;

import io.kvmesh.common.key.Keyspace;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The chunks that a request names.
 *
 * @param keyspaces of each chunk; null where the request names none
 * @param hashBits of each chunk; none if a prompt is shorter than a chunk
 * @param first the keyspace that the request names, or that of the first key
 * @param prompt null unless the request gives tokens
 */
record ChunkList(
    List<@Nullable Keyspace> keyspaces,
    List<Long> hashBits,
    @Nullable Keyspace first,
    @Nullable Prompt prompt) {

  /**
   * A prompt that was cut into chunks.
   *
   * @param tokens in all
   */
  record Prompt(int tokens, int chunkTokens) {}

  int size() {
    return hashBits.size();
  }

  long[] bits() {
    return hashBits.stream().mapToLong(Long::longValue).toArray();
  }

  /** Number of tokens of the first chunks; null unless the request gives tokens. */
  @Nullable Integer tokens(int chunks) {
    return prompt == null ? null : Math.min(prompt.tokens, chunks * prompt.chunkTokens);
  }

  /** The keyspace that all have in common; null if the request names none. */
  @Nullable Keyspace commonKeyspace() {
    for (int i = 0; i < keyspaces.size(); i++) {
      Keyspace other = keyspaces.get(i);
      if (first != null && !first.equals(other)) {
        throw Problems.badRequest(
            "keys[" + i + "]", other, "must have the keyspace of the first, " + first);
      }
    }
    return first;
  }
}
