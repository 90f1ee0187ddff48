package io.kvmesh.agent.control;

import io.kvmesh.common.hash.TokenChunker;
import io.kvmesh.common.hash.TokenFormatException;
import io.kvmesh.common.hash.Tokens;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import java.util.Collection;
import java.util.List;

/**
 * The keys of a prompt's chunks, as this agent's engine writes them for a request without tags.
 * Immutable, any thread.
 */
public final class TokenKeys {

  private final Keyspace keyspace;
  private final TokenChunker chunker;
  private final boolean lastPart;

  /**
   * @param lastPart whether a last chunk of fewer tokens has a key, too
   */
  public TokenKeys(Keyspace keyspace, TokenChunker chunker, boolean lastPart) {
    this.keyspace = keyspace;
    this.chunker = chunker;
    this.lastPart = lastPart;
  }

  /**
   * The keys, in the order of the prompt.
   *
   * @throws TokenFormatException if a number is no token
   */
  public List<ChunkKey> of(Collection<? extends Number> tokens) {
    long[] prompt = Tokens.of(tokens);
    List<ChunkHash> hashes = lastPart ? chunker.allChunks(prompt) : chunker.fullChunks(prompt);
    return hashes.stream().map(hash -> new ChunkKey(keyspace, hash)).toList();
  }
}
