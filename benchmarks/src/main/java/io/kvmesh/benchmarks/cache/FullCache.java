package io.kvmesh.benchmarks.cache;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.ChunkSpec;
import io.kvmesh.agent.cache.Claim;
import io.kvmesh.agent.cache.PendingChunk;
import io.kvmesh.agent.cache.Reserving;
import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.agent.memory.PageAllocator;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.benchmarks.NumberedEvents;
import io.kvmesh.common.key.ChunkKey;
import java.util.ArrayList;
import java.util.List;

/**
 * A cache in which every page has a chunk, so that each store evicts. Nobody writes the bodies: the
 * arena's memory isn't even backed, and commits are told a checksum.
 */
final class FullCache implements AutoCloseable {

  static final int BODY_BYTES = 4096;
  static final int BODY_TOKENS = 256;
  private static final long CHECKSUM = 7;

  private final PageArena memory;
  private final ChunkCache cache;

  /** Filled with the chunks from number 0 on. */
  FullCache(int chunks, PolicyName policy) {
    memory = PageArena.anonymous((long) chunks * BODY_BYTES);
    cache =
        new ChunkCache(
            new PageAllocator(memory, BODY_BYTES), policy.create(chunks), new NumberedEvents());
    for (int i = 0; i < chunks; i++) {
      store(ChunkNumbers.key(ChunkNumbers.hash(i)));
    }
  }

  ChunkCache cache() {
    return cache;
  }

  /** Claims, commits and lets go of one chunk. */
  void store(ChunkKey key) {
    try (ChunkLease lease = cache.newLease()) {
      cache.commit(claim(key, lease), CHECKSUM, lease);
    }
  }

  PendingChunk claim(ChunkKey key, ChunkLease lease) {
    return pending(cache.claim(key, BODY_BYTES, BODY_TOKENS, lease));
  }

  void commit(PendingChunk chunk, ChunkLease lease) {
    cache.commit(chunk, CHECKSUM, lease);
  }

  /** As store, for a batch: claims all in one step, then commits all in one. */
  void store(List<ChunkSpec> batch) throws InterruptedException {
    try (ChunkLease lease = cache.newLease()) {
      commit(claim(batch, lease), lease);
    }
  }

  List<PendingChunk> claim(List<ChunkSpec> batch, ChunkLease lease) throws InterruptedException {
    List<Claim> claims = cache.claim(batch, new Reserving.Now(), lease);
    List<PendingChunk> pending = new ArrayList<>(claims.size());
    for (int i = 0; i < claims.size(); i++) {
      pending.add(pending(claims.get(i)));
    }
    return pending;
  }

  void commit(List<PendingChunk> chunks, ChunkLease lease) {
    cache.commit(chunks, new long[chunks.size()], lease);
  }

  private static PendingChunk pending(Claim claim) {
    if (claim instanceof PendingChunk chunk) {
      return chunk;
    }
    throw new IllegalStateException("A chunk that isn't there was not claimed: " + claim);
  }

  static ChunkSpec spec(long hash) {
    return new ChunkSpec(ChunkNumbers.key(hash), BODY_BYTES, BODY_TOKENS);
  }

  @Override
  public void close() {
    memory.close();
  }
}
