package io.kvmesh.agent.cache;

import io.kvmesh.common.key.ChunkKey;

/**
 * A chunk that is to be stored.
 *
 * @param key its key
 * @param bytes length of its body
 * @param tokens number of tokens that it stands for
 */
public record ChunkSpec(ChunkKey key, int bytes, int tokens) {

  /** Refuses a body without bytes and a negative number of tokens. */
  public ChunkSpec {
    if (bytes < 1 || tokens < 0) {
      throw new IllegalArgumentException(
          "A chunk has at least 1 byte and 0 tokens, got %d and %d".formatted(bytes, tokens));
    }
  }
}
