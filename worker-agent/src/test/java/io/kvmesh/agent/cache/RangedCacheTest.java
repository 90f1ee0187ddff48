package io.kvmesh.agent.cache;

import static io.kvmesh.agent.cache.CacheFixture.isStamped;
import static io.kvmesh.agent.cache.CacheFixture.key;
import static io.kvmesh.agent.cache.CacheFixture.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.agent.memory.RangeAllocator;
import io.kvmesh.common.key.ChunkKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The cache over ranges: chunks of any size. */
class RangedCacheTest {

  private static final int UNIT = 64;
  private static final int UNITS = 16;
  private static final int TOKENS = 256;

  private final RecordingSink sink = new RecordingSink();
  private final PageArena arena = PageArena.anonymous(UNITS * UNIT);
  private RangeAllocator ranges = new RangeAllocator(arena, UNIT, UNITS * UNIT);
  private ChunkCache cache = cache(PolicyName.LRU, 64);

  private ChunkCache cache(PolicyName policy, int maxChunks) {
    ranges = new RangeAllocator(arena, UNIT, UNITS * UNIT);
    return new ChunkCache(
        ChunkMemory.ranges(ranges, 4 * UNIT, maxChunks),
        policy.create(maxChunks),
        sink,
        CacheOptions.DEFAULT,
        System::nanoTime);
  }

  @AfterEach
  void unmap() {
    arena.close();
  }

  private Claim put(long hash, int bytes, ChunkLease lease) {
    Claim claim = cache.claim(key(hash), bytes, TOKENS, lease);
    if (claim instanceof PendingChunk chunk) {
      CacheFixture.stamp(chunk.body(), chunk.key());
      cache.commit(chunk, lease);
    }
    return claim;
  }

  private Claim put(long hash, int bytes) {
    try (ChunkLease lease = cache.newLease()) {
      return put(hash, bytes, lease);
    }
  }

  private boolean has(long hash) {
    return cache.exists(key(hash));
  }

  @Test
  void largeChunk_evictsAsManyAsItTakes() {
    for (long hash = 0; hash < UNITS; hash++) {
      put(hash, UNIT);
    }
    assertThat(put(100, 5 * UNIT - 1)).isInstanceOf(PendingChunk.class);
    for (long hash = 0; hash < UNITS; hash++) {
      assertThat(has(hash)).as("chunk %d", hash).isEqualTo(hash >= 5);
    }
    CacheStats.Room room = cache.stats().room();
    assertThat(room.freeBytes()).isZero();
    assertThat(room.budgetBytes()).isEqualTo(UNITS * UNIT);
    assertThat(cache.stats().residentBytes()).isEqualTo(11 * UNIT + 5 * UNIT - 1);
  }

  @Test
  void nothingIsEvictedWhereAllOfItWouldNotDo() {
    try (ChunkLease held = cache.newLease()) {
      put(1, 8 * UNIT, held);
      put(2, 4 * UNIT);
      put(3, 4 * UNIT);
      assertThat(put(4, 9 * UNIT)).isEqualTo(new Claim.NoSpace());
      assertThat(cache.stats().removedInAll()).isZero();
      assertThat(cache.stats().room().budgetBytes()).isEqualTo(8 * UNIT);
      assertThat(put(5, UNITS * UNIT + 1)).isEqualTo(new Claim.TooLarge());
      assertThat(put(6, 8 * UNIT)).isInstanceOf(PendingChunk.class);
    }
  }

  @Test
  void asManyChunksAsThereAreRecords_noMore() throws Exception {
    cache = cache(PolicyName.LRU, 3);
    put(1, UNIT);
    put(2, UNIT);
    try (ChunkLease lease = cache.newLease()) {
      PendingChunk pending = (PendingChunk) cache.claim(key(3), UNIT, TOKENS, lease);
      assertThat(put(4, UNIT)).isInstanceOf(PendingChunk.class);
      assertThat(has(1)).isFalse();
      assertThat(cache.commit(pending, lease)).isEqualTo(CommitOutcome.STORED);
      assertThat(cache.stats().residentChunks()).isEqualTo(3);
    }
  }

  @Test
  void fragmentation_isShown() {
    for (long hash = 0; hash < UNITS; hash++) {
      put(hash, UNIT);
    }
    for (long hash = 0; hash < UNITS; hash += 2) {
      cache.remove(key(hash), RemovalCause.REMOVED);
    }
    assertThat(cache.stats().room().fragmentation()).isEqualTo(1 - 1.0 / 8);
  }

  @Test
  void twoModels_shareTheMemory() {
    put(1, 100);
    put(2, 300);
    try (ChunkLease lease = cache.leasePrefix(keys(1, 2))) {
      assertThat(lease.body(0).byteSize()).isEqualTo(100);
      assertThat(lease.body(1).byteSize()).isEqualTo(300);
      assertThat(isStamped(lease.body(1), key(2))).isTrue();
    }
  }

  @Test
  void tooFewRecords_areRefused() {
    assertThatThrownBy(() -> ChunkMemory.ranges(ranges, UNIT, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** ALLOC-3: used = resident + in flight, at every step; at the end all is one free range. */
  @ParameterizedTest
  @EnumSource
  void randomOperations_leakNothing(PolicyName policy) throws Exception {
    cache = cache(policy, 12);
    Random random = new Random(11);
    List<ChunkLease> leases = new ArrayList<>();
    List<PendingChunk> pending = new ArrayList<>();
    for (int step = 0; step < 200_000; step++) {
      switch (random.nextInt(5)) {
        case 0, 1 -> claim(random, leases, pending);
        case 2 -> settle(random, leases, pending);
        case 3 -> letGo(random, leases);
        default -> cache.remove(key(random.nextInt(24)), RemovalCause.REMOVED);
      }
      requireConsistent(policy, step, pending);
    }
    cache.abort(pending);
    leases.forEach(ChunkLease::close);
    cache.clear();
    assertThat(ranges.freeBytes()).isEqualTo(UNITS * UNIT);
    assertThat(ranges.freeRanges()).isEqualTo(1);
    assertThat(sink.resident).isEmpty();
  }

  private void claim(Random random, List<ChunkLease> leases, List<PendingChunk> pending)
      throws InterruptedException {
    ChunkLease lease = cache.newLease();
    leases.add(lease);
    List<ChunkSpec> specs =
        List.of(spec(random.nextInt(24), random), spec(random.nextInt(24), random));
    pending.addAll(CacheFixture.claimed(cache.claim(specs, new Reserving.Now(), lease)));
  }

  private static ChunkSpec spec(int hash, Random random) {
    return new ChunkSpec(key(hash), 1 + random.nextInt(5 * UNIT), TOKENS);
  }

  private void settle(Random random, List<ChunkLease> leases, List<PendingChunk> pending) {
    if (!pending.isEmpty()) {
      PendingChunk chunk = pending.remove(random.nextInt(pending.size()));
      if (random.nextInt(4) == 0) {
        cache.abort(chunk);
        return;
      }
      ChunkKey key = chunk.key();
      CacheFixture.stamp(chunk.body(), key);
      ChunkLease lease = cache.newLease();
      leases.add(lease);
      cache.commit(chunk, lease);
    }
  }

  private static void letGo(Random random, List<ChunkLease> leases) {
    while (leases.size() > 2) {
      ChunkLease lease = leases.remove(random.nextInt(leases.size()));
      for (int i = 0; i < lease.size(); i++) {
        if (!isStamped(lease.body(i), lease.key(i))) {
          fail("a foreign body");
        }
      }
      lease.close();
    }
  }

  private void requireConsistent(PolicyName policy, int step, List<PendingChunk> pending) {
    LogPosition position = cache.position();
    CacheStats stats = cache.stats();
    long inFlight = pending.stream().mapToLong(chunk -> ranges.bytesTaken(chunk.bytes())).sum();
    boolean right =
        position.digest() == sink.digest
            && position.residentCount() == sink.resident.size()
            && stats.pendingChunks() == pending.size()
            && stats.room().budgetBytes() <= UNITS * UNIT - inFlight
            && stats.room().freeBytes() >= 0;
    if (!right) {
      fail(
          "%s step %d: %s, %s, events say %s"
              .formatted(policy, step, position, stats, sink.resident));
    }
  }
}
