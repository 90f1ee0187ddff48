package io.kvmesh.agent.cache;

import io.kvmesh.common.key.ChunkKey;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Claimed memory, to be filled by whoever claimed it and then committed or aborted, once. Nobody
 * else sees it before the commit.
 */
public final class PendingChunk implements Claim {

  private final ChunkCache cache;
  private volatile ChunkSpec spec;

  /** NO_PLACE once it is settled. Changed under the cache's lock. */
  private volatile int place;

  PendingChunk(ChunkCache cache, ChunkSpec spec, int place) {
    this.cache = cache;
    this.spec = spec;
    this.place = place;
  }

  /**
   * The body, exactly as long as was claimed. What it holds before it is written is old.
   *
   * @throws IllegalStateException if the chunk is committed or aborted
   */
  public MemorySegment body() {
    return cache.leases().body(pendingPlace(), bytes());
  }

  /**
   * Where the body begins, in bytes from the start of the arena.
   *
   * @throws IllegalStateException if the chunk is committed or aborted
   */
  public long offset() {
    return cache.leases().memory().offset(pendingPlace());
  }

  private int pendingPlace() {
    int lies = place;
    if (lies == ChunkMemory.NO_PLACE) {
      throw new IllegalStateException("The chunk %s is no longer pending".formatted(key()));
    }
    return lies;
  }

  /**
   * One layer of the body.
   *
   * @throws IllegalStateException if the chunk is committed or aborted, the shape of chunks isn't
   *     known, or their layers aren't in one piece
   */
  public MemorySegment layer(int layer) {
    return cache.leases().layers().layer(body(), tokens(), layer);
  }

  /** The chunk's key. */
  public ChunkKey key() {
    return spec.key();
  }

  /** Length of the body. */
  public int bytes() {
    return spec.bytes();
  }

  /** Number of tokens that the chunk stands for. */
  public int tokens() {
    return spec.tokens();
  }

  /** Tells how its values lie, where that is learned after the claim. By whoever claimed it. */
  public void describe(BodyForm told) {
    spec = spec.described(told);
  }

  /** How its values lie; null = not told. */
  @Nullable BodyForm form() {
    return spec.form();
  }

  /** Whether it takes the place of a resident chunk of its key. */
  boolean replaces() {
    return spec.replaces();
  }

  /** The end of its being pending; answers where the body lies. Under the cache's lock. */
  int settle(ChunkCache by) {
    if (by != cache) {
      throw new IllegalArgumentException("The chunk %s was claimed elsewhere".formatted(key()));
    }
    int lies = place;
    if (lies == ChunkMemory.NO_PLACE) {
      throw new IllegalStateException("The chunk %s is settled twice".formatted(key()));
    }
    place = ChunkMemory.NO_PLACE;
    return lies;
  }
}
