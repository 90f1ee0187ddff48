package io.kvmesh.agent.cache;

import static io.kvmesh.agent.cache.CacheFixture.isStamped;
import static io.kvmesh.agent.cache.CacheFixture.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.agent.memory.PageAllocator;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.agent.memory.RangeAllocator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A cache whose memory is taken into use in steps. */
class GrowingMemoryTest {

  private static final int UNIT = 64;
  private static final int UNITS = 16;
  private static final int TOKENS = 256;

  private final List<PageArena> arenas = new ArrayList<>();

  @AfterEach
  void unmap() {
    arenas.forEach(PageArena::close);
  }

  private PageArena arena() {
    PageArena arena = PageArena.anonymous(UNITS * UNIT);
    arenas.add(arena);
    return arena;
  }

  private ChunkMemory pages(int initial, int growth) {
    return ChunkMemory.paged(new PageAllocator(arena(), UNIT, initial), growth);
  }

  private ChunkMemory ranges(int initial, int growth) {
    RangeAllocator ranges = new RangeAllocator(arena(), UNIT, (long) initial * UNIT);
    return ChunkMemory.ranges(ranges, 4 * UNIT, 2 * UNITS, (long) growth * UNIT);
  }

  private record Cache(ChunkCache cache, RecordingSink sink) {

    static Cache of(ChunkMemory memory) {
      RecordingSink sink = new RecordingSink();
      return new Cache(
          new ChunkCache(
              memory,
              PolicyName.LRU.create(memory.slots()),
              sink,
              CacheOptions.DEFAULT,
              System::nanoTime),
          sink);
    }

    Claim put(long hash, int bytes, ChunkLease lease) {
      Claim claim = cache.claim(key(hash), bytes, TOKENS, lease);
      if (claim instanceof PendingChunk chunk) {
        CacheFixture.stamp(chunk.body(), chunk.key());
        cache.commit(chunk, lease);
      }
      return claim;
    }

    void put(long hash) {
      try (ChunkLease lease = cache.newLease()) {
        assertThat(put(hash, UNIT, lease)).isInstanceOf(PendingChunk.class);
      }
    }

    CacheStats.Room room() {
      return cache.stats().room();
    }
  }

  @Test
  void pages_areTakenIntoUseWhenNoneIsFree_andNothingIsEvictedBefore() {
    Cache at = Cache.of(pages(3, 4));
    assertThat(at.room().capacityBytes()).isEqualTo(3 * UNIT);
    assertThat(at.room().growableBytes()).isEqualTo(13 * UNIT);
    assertThat(at.room().budgetBytes()).isEqualTo(UNITS * UNIT);
    for (int hash = 0; hash < 3; hash++) {
      at.put(hash);
    }
    assertThat(at.room().capacityBytes()).isEqualTo(3 * UNIT);
    at.put(3);
    assertThat(at.room().capacityBytes()).isEqualTo(7 * UNIT);
    for (int hash = 4; hash < UNITS; hash++) {
      at.put(hash);
    }
    assertThat(at.room().capacityBytes()).isEqualTo(UNITS * UNIT);
    assertThat(at.room().growableBytes()).isZero();
    assertThat(at.cache.stats().removedInAll()).isZero();
    at.put(UNITS);
    assertThat(at.cache.stats().removedInAll()).isEqualTo(1);
    assertThat(at.cache.exists(key(0))).isFalse();
  }

  @Test
  void bodiesThatAreHeld_stayWhereTheyAre() {
    Cache at = Cache.of(pages(1, 1));
    try (ChunkLease lease = at.cache.newLease()) {
      at.put(0, UNIT, lease);
      long address = lease.body(0).address();
      for (int hash = 1; hash < UNITS; hash++) {
        at.put(hash);
      }
      assertThat(lease.body(0).address()).isEqualTo(address);
      assertThat(isStamped(lease.body(0), key(0))).isTrue();
    }
  }

  @Test
  void aRangeLongerThanAStep_takesSeveral() {
    Cache at = Cache.of(ranges(1, 2));
    try (ChunkLease lease = at.cache.newLease()) {
      assertThat(at.put(1, 6 * UNIT, lease)).isInstanceOf(PendingChunk.class);
      assertThat(at.room().capacityBytes()).isEqualTo(7 * UNIT);
      assertThat(at.put(2, UNITS * UNIT + 1, lease)).isInstanceOf(Claim.TooLarge.class);
      assertThat(at.room().capacityBytes()).isEqualTo(7 * UNIT);
    }
  }

  @Test
  void whoMayNotEvict_mayGrow_andWhoWouldWait_neednt() throws InterruptedException {
    Cache at = Cache.of(pages(1, 1));
    List<ChunkSpec> two = CacheFixture.specs(CacheFixture.keys(1, 2));
    List<ChunkSpec> others = CacheFixture.specs(CacheFixture.keys(3, 4));
    try (ChunkLease lease = at.cache.newLease()) {
      assertThat(CacheFixture.claimed(at.cache.claim(two, new Reserving.OnlyFree(), lease)))
          .hasSize(2);
      Reserving waiting = new Reserving.Waiting(Duration.ofSeconds(30));
      assertThat(CacheFixture.claimed(at.cache.claim(others, waiting, lease))).hasSize(2);
      assertThat(at.cache.stats().waits().waited()).isZero();
    }
  }

  @Test
  void aStepOfNothing_isRefused() {
    assertThatThrownBy(() -> pages(1, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ranges(1, 0)).isInstanceOf(IllegalArgumentException.class);
  }

  /** All that tells a cache that grows from one that has all at once is what it reports of it. */
  @ParameterizedTest
  @CsvSource({"1, 1, 1", "2, 3, 5", "3, 15, 1", "4, 7, 100"})
  void randomOperations_haveTheSameOutcomesAndEventsAsWithAllAtOnce(
      long seed, int initial, int growth) {
    Random random = new Random(seed);
    Cache growing = Cache.of(pages(initial, growth));
    Cache whole = Cache.of(pages(UNITS, 1));
    List<ChunkLease> ofGrowing = new ArrayList<>();
    List<ChunkLease> ofWhole = new ArrayList<>();
    for (int step = 0; step < 5_000; step++) {
      long hash = random.nextInt(3 * UNITS);
      if (random.nextInt(6) == 0) {
        close(ofGrowing);
        close(ofWhole);
      } else {
        ofGrowing.add(growing.cache.newLease());
        ofWhole.add(whole.cache.newLease());
        assertThat(growing.put(hash, UNIT, ofGrowing.getLast()).getClass())
            .as("seed %d step %d", seed, step)
            .isEqualTo(whole.put(hash, UNIT, ofWhole.getLast()).getClass());
      }
      assertThat(growing.cache.position())
          .as("seed %d step %d", seed, step)
          .isEqualTo(whole.cache.position());
      assertThat(growing.room().budgetBytes()).isEqualTo(whole.room().budgetBytes());
    }
    close(ofGrowing);
    growing.cache.clear();
    assertThat(growing.room().freeBytes() + growing.room().growableBytes()).isEqualTo(UNITS * UNIT);
    assertThat(growing.sink.resident).isEmpty();
  }

  private static void close(List<ChunkLease> leases) {
    leases.forEach(ChunkLease::close);
    leases.clear();
  }
}
