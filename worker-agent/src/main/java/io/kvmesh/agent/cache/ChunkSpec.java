package io.kvmesh.agent.cache;

import io.kvmesh.common.key.ChunkKey;
import org.jspecify.annotations.Nullable;

/**
 * A chunk that is to be stored.
 *
 * @param key its key
 * @param bytes length of its body
 * @param tokens number of tokens that it stands for
 * @param replaces whether it takes the place of a resident chunk of its key, which is gone also
 *     where it is refused; otherwise that one stays
 * @param form how its values lie; null = not told
 */
public record ChunkSpec(
    ChunkKey key, int bytes, int tokens, boolean replaces, @Nullable BodyForm form) {

  /** Refuses a body without bytes and a negative number of tokens. */
  public ChunkSpec {
    if (bytes < 1 || tokens < 0) {
      throw new IllegalArgumentException(
          "A chunk has at least 1 byte and 0 tokens, got %d and %d".formatted(bytes, tokens));
    }
  }

  /** One that doesn't replace, and of which no form is told. */
  public ChunkSpec(ChunkKey key, int bytes, int tokens) {
    this(key, bytes, tokens, false, null);
  }

  /** The same of which the form is told. */
  ChunkSpec described(BodyForm told) {
    return new ChunkSpec(key, bytes, tokens, replaces, told);
  }
}
