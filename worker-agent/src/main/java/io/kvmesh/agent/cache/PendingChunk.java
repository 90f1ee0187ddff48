package io.kvmesh.agent.cache;

import io.kvmesh.common.key.ChunkKey;
import java.lang.foreign.MemorySegment;

/**
 * A claimed page, to be filled by whoever claimed it and then committed or aborted, once. Nobody
 * else sees it before the commit.
 */
public final class PendingChunk {

  private final ChunkCache cache;
  private final ChunkKey key;
  private final int page;
  private final int bytes;
  private final int tokens;

  /** Changed under the cache's lock. */
  private volatile boolean settled;

  PendingChunk(ChunkCache cache, ChunkKey key, int page, int bytes, int tokens) {
    this.cache = cache;
    this.key = key;
    this.page = page;
    this.bytes = bytes;
    this.tokens = tokens;
  }

  /**
   * The body, exactly as long as was claimed. What it holds before it is written is old.
   *
   * @throws IllegalStateException if the chunk is committed or aborted
   */
  public MemorySegment body() {
    if (settled) {
      throw new IllegalStateException("The chunk %s is no longer pending".formatted(key));
    }
    return cache.body(page, bytes);
  }

  /** The chunk's key. */
  public ChunkKey key() {
    return key;
  }

  /** The page of the arena that the body begins. */
  public int page() {
    return page;
  }

  /** Length of the body. */
  public int bytes() {
    return bytes;
  }

  /** Number of tokens that the chunk stands for. */
  public int tokens() {
    return tokens;
  }

  /** The end of its being pending; called under the cache's lock. */
  void settle(ChunkCache by) {
    if (by != cache) {
      throw new IllegalArgumentException("The chunk %s was claimed elsewhere".formatted(key));
    }
    if (settled) {
      throw new IllegalStateException("The chunk %s is settled twice".formatted(key));
    }
    settled = true;
  }
}
