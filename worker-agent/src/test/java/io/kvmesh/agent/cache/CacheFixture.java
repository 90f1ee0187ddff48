package io.kvmesh.agent.cache;

import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.agent.memory.PageAllocator;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
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

  CacheFixture(int capacity, PolicyName policy) {
    arena = PageArena.anonymous((long) capacity * PAGE_BYTES);
    pages = new PageAllocator(arena, PAGE_BYTES);
    cache = new ChunkCache(pages, policy.create(capacity), sink);
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
      case Claim.Claimed(PendingChunk chunk) -> {
        stamp(chunk.body(), key);
        cache.commit(chunk, into);
        yield true;
      }
      case Claim.NoSpace(), Claim.TooLarge() -> false;
    };
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
