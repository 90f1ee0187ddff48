package io.kvmesh.common.hash;

import io.kvmesh.common.key.ChunkHash;
import java.util.ArrayList;
import java.util.List;

/**
 * Cuts a prompt into chunks and hashes them in a chain, so that a chunk's hash stands for the whole
 * prefix up to its end. Chunk i covers the tokens from i times the chunk size on.
 *
 * <p>Immutable, any thread. Allocates per chunk, not per token.
 */
public final class TokenChunker {

  private final ChunkHashing hashing;
  private final int chunkTokens;

  /**
   * @param chunkTokens tokens of a full chunk, at least 1
   */
  public TokenChunker(ChunkHashing hashing, int chunkTokens) {
    if (chunkTokens < 1) {
      throw new IllegalArgumentException("A chunk has at least 1 token, got " + chunkTokens);
    }
    this.hashing = hashing;
    this.chunkTokens = chunkTokens;
  }

  /** Tokens of a full chunk. */
  public int chunkTokens() {
    return chunkTokens;
  }

  /**
   * Hashes of the full chunks, in order.
   *
   * @throws TokenFormatException if a token is negative
   */
  public List<ChunkHash> fullChunks(long[] tokens) {
    return hashes(tokens, tokens.length - tokens.length % chunkTokens);
  }

  /**
   * Hashes of all chunks, in order; the last may have fewer tokens.
   *
   * @throws TokenFormatException if a token is negative
   */
  public List<ChunkHash> allChunks(long[] tokens) {
    return hashes(tokens, tokens.length);
  }

  private List<ChunkHash> hashes(long[] tokens, int end) {
    Tokens.check(tokens);
    HashChain chain = hashing.newChain(Math.min(chunkTokens, end));
    List<ChunkHash> hashes = new ArrayList<>();
    for (int from = 0; from < end; from += chunkTokens) {
      int to = end - from < chunkTokens ? end : from + chunkTokens;
      hashes.add(chain.next(tokens, from, to));
      if (to == end) {
        break;
      }
    }
    return List.copyOf(hashes);
  }
}
