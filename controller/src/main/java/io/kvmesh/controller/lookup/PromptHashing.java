package io.kvmesh.controller.lookup;

import io.kvmesh.common.hash.ChunkHashing;
import io.kvmesh.common.hash.TokenChunker;
import io.kvmesh.common.hash.TokenFormatException;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.wire.event.Announcement;

/**
 * How this controller hashes a prompt's tokens. Immutable, any thread.
 *
 * @param algorithm with its variants, as in the setting
 * @param seed empty = none
 * @param chunker of that algorithm and seed
 */
public record PromptHashing(String algorithm, String seed, TokenChunker chunker) {

  /**
   * The hashes of all chunks in order, also of a last one that is not full: where engines keep no
   * such chunk, nobody holds it.
   *
   * @throws TokenFormatException if a token is negative
   */
  public long[] hashBits(long[] tokens) {
    return chunker.allChunks(tokens).stream().mapToLong(ChunkHash::bits).toArray();
  }

  /** Number of tokens in that many chunks from the first of a prompt of so many tokens. */
  public long tokens(int chunks, int promptTokens) {
    return Math.min((long) chunks * chunker.chunkTokens(), promptTokens);
  }

  /**
   * Whether an agent's engine makes the same hashes of the same tokens. What it has not told can't
   * be compared.
   */
  boolean fits(Announcement agent) {
    Integer chunk = agent.chunkTokens();
    String name = agent.hashAlgorithm();
    String text = agent.hashSeed();
    return (chunk == null || chunk == chunker.chunkTokens())
        && (name == null || sameAlgorithm(name))
        && (text == null || text.equals(seed));
  }

  /** The same variants may be written in another order. */
  private boolean sameAlgorithm(String name) {
    if (name.equals(algorithm)) {
      return true;
    }
    try {
      return ChunkHashing.of(name, "").toString().equals(ChunkHashing.of(algorithm, "").toString());
    } catch (IllegalArgumentException unknownHere) {
      return false;
    }
  }
}
