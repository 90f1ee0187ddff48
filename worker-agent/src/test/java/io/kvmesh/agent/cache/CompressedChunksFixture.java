package io.kvmesh.agent.cache;

import static io.kvmesh.agent.cache.CacheFixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.agent.memory.PageAllocator;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.agent.memory.RangeAllocator;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.control.PackOutcome;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;

/** A cache with little room, pages and compressed bodies, and chunks in it. */
abstract class CompressedChunksFixture {

  static final int PAGE = 16_384;
  static final int PAGES = 6;
  static final int TOKENS = 16;
  static final int PACKED_UNITS = 4;
  static final Set<CompressionMethod> ALL = EnumSet.allOf(CompressionMethod.class);

  final PageArena arena = PageArena.anonymous(PAGES * PAGE);
  final PageArena packedArena =
      PageArena.anonymous(PACKED_UNITS * RangeAllocator.DEFAULT_ALIGNMENT);
  final PageAllocator pages = new PageAllocator(arena, PAGE);
  final RangeAllocator ranges = new RangeAllocator(packedArena);
  final RecordingSink events = new RecordingSink();
  ChunkCache cache = cache(PolicyName.LRU);

  ChunkCache cache(PolicyName policy) {
    PackedRoom packed = PackedRoom.of(ranges, PAGE, policy);
    return new ChunkCache(
        ChunkMemory.paged(pages),
        packed,
        policy.create(PAGES + packed.maxChunks()),
        events,
        CacheOptions.DEFAULT,
        System::nanoTime);
  }

  @AfterEach
  void unmap() {
    arena.close();
    packedArena.close();
  }

  /** Every third key has a body that can't get shorter. */
  static void fill(MemorySegment body, ChunkKey key) {
    long seed = key.hash().bits();
    byte[] bytes = new byte[(int) body.byteSize()];
    new Random(seed).nextBytes(bytes);
    int random = seed % 3 == 0 ? bytes.length : 100;
    for (int i = random; i < bytes.length; i++) {
      bytes[i] = bytes[i % random];
    }
    MemorySegment.copy(bytes, 0, body, ValueLayout.JAVA_BYTE, 0, bytes.length);
  }

  static void requireRight(ChunkLease lease) {
    for (int i = 0; i < lease.size(); i++) {
      MemorySegment right = MemorySegment.ofArray(new byte[lease.bytes(i)]);
      fill(right, lease.key(i));
      assertThat(body(lease, i).mismatch(right)).as("body of %s", lease.key(i)).isEqualTo(-1);
      assertThat(lease.checksum(i)).isEqualTo(ChunkChecksum.of(right));
    }
  }

  static MemorySegment body(ChunkLease lease, int index) {
    CompressionMethod method = lease.compressedBy(index);
    if (method == null) {
      return lease.body(index);
    }
    MemorySegment body = Arena.ofAuto().allocate(lease.bytes(index));
    assertThat(method.expand(lease.stored(index), body)).isTrue();
    return body;
  }

  void store(long... hashes) {
    for (long hash : hashes) {
      try (ChunkLease lease = cache.newLease()) {
        if (cache.claim(key(hash), PAGE, TOKENS, lease) instanceof PendingChunk chunk) {
          fill(chunk.body(), chunk.key());
          cache.commit(chunk, lease);
        }
      }
    }
  }

  PackOutcome pack(long hash, CompressionMethod method) {
    return cache.packer().pack(key(hash), method, cache.packer().lastNumber()).outcome();
  }

  int resident(long... hashes) {
    try (ChunkLease lease =
        cache.leasePrefix(LongStream.of(hashes).mapToObj(CacheFixture::key).toList())) {
      requireRight(lease);
      return lease.size();
    }
  }
}
