package io.kvmesh.agent.cache;

import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.agent.memory.PageAllocator;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

/** A small cache, its events, and bodies that tell their key. */
final class CacheFixture implements AutoCloseable {

  static final Keyspace KEYSPACE = Keyspace.of("model", 1, 0, "half", List.of());
  static final int PAGE_BYTES = 64;
  static final int TOKENS = 256;

  final RecordingSink sink = new RecordingSink();
  final PageArena arena;
  final PageAllocator pages;
  final ChunkCache cache;
  final AtomicLong nanos = new AtomicLong();

  CacheFixture(int capacity, PolicyName policy) {
    this(capacity, policy, CacheOptions.DEFAULT);
  }

  CacheFixture(int capacity, PolicyName policy, CacheOptions options) {
    arena = PageArena.anonymous((long) capacity * PAGE_BYTES);
    pages = new PageAllocator(arena, PAGE_BYTES);
    cache =
        new ChunkCache(
            ChunkMemory.paged(pages), policy.create(capacity), sink, options, nanos::get);
  }

  static ChunkKey key(long hash) {
    return new ChunkKey(KEYSPACE, ChunkHash.ofSigned(hash));
  }

  static List<ChunkKey> keys(long... hashes) {
    return LongStream.of(hashes).mapToObj(CacheFixture::key).toList();
  }

  /** Claims, fills and commits; answers whether the chunk is held by the lease afterwards. */
  boolean put(ChunkKey key, ChunkLease into) {
    return switch (cache.claim(key, PAGE_BYTES, TOKENS, into)) {
      case Claim.Resident() -> true;
      case PendingChunk chunk -> {
        stamp(chunk.body(), key);
        cache.commit(chunk, into);
        yield true;
      }
      default -> false;
    };
  }

  static List<ChunkSpec> specs(List<ChunkKey> keys) {
    return keys.stream().map(key -> new ChunkSpec(key, PAGE_BYTES, TOKENS)).toList();
  }

  static List<PendingChunk> claimed(List<Claim> claims) {
    List<PendingChunk> chunks = new ArrayList<>(claims.size());
    for (Claim claim : claims) {
      if (claim instanceof PendingChunk chunk) {
        chunks.add(chunk);
      }
    }
    return chunks;
  }

  /** Claims in one step, fills, and commits in one step; answers the claims. */
  List<Claim> putAll(List<ChunkKey> keys, Reserving how, ChunkLease into)
      throws InterruptedException {
    List<Claim> claims = cache.claim(specs(keys), how, into);
    List<PendingChunk> filled = claimed(claims);
    filled.forEach(chunk -> stamp(chunk.body(), chunk.key()));
    cache.commit(filled, into);
    return claims;
  }

  /** Puts each as a request of its own. */
  void put(long... hashes) {
    for (long hash : hashes) {
      try (ChunkLease lease = cache.newLease()) {
        put(key(hash), lease);
      }
    }
  }

  /** A local read: a use. */
  void read(long... hashes) {
    try (ChunkLease lease = cache.leasePrefix(keys(hashes))) {
      cache.touch(lease, lease.size());
    }
  }

  /** What a lookup finds, without a use. */
  boolean has(long hash) {
    try (ChunkLease lease = cache.leasePrefix(keys(hash))) {
      return lease.size() == 1;
    }
  }

  static void stamp(MemorySegment body, ChunkKey key) {
    for (long at = 0; at + Long.BYTES <= body.byteSize(); at += Long.BYTES) {
      body.set(ValueLayout.JAVA_LONG_UNALIGNED, at, key.hash().bits() + at);
    }
  }

  static boolean isStamped(MemorySegment body, ChunkKey key) {
    for (long at = 0; at + Long.BYTES <= body.byteSize(); at += Long.BYTES) {
      if (body.get(ValueLayout.JAVA_LONG_UNALIGNED, at) != key.hash().bits() + at) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void close() {
    arena.close();
  }
}
