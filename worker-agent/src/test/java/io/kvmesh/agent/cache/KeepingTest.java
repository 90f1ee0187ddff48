package io.kvmesh.agent.cache;

import static io.kvmesh.agent.cache.CacheFixture.PAGE_BYTES;
import static io.kvmesh.agent.cache.CacheFixture.TOKENS;
import static io.kvmesh.agent.cache.CacheFixture.isStamped;
import static io.kvmesh.agent.cache.CacheFixture.key;
import static io.kvmesh.agent.cache.CacheFixture.keys;
import static io.kvmesh.agent.cache.CacheFixture.specs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.agent.memory.ChunkShape;
import io.kvmesh.agent.memory.Dtype;
import io.kvmesh.agent.memory.MemoryFormat;
import io.kvmesh.agent.memory.PageAllocator;
import io.kvmesh.agent.memory.PageArena;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Caches that keep less than all. */
@Timeout(30)
class KeepingTest {

  private static final Reserving NOW = new Reserving.Now();
  private static final CacheOptions STAGING = CacheOptions.DEFAULT.withKeeping(Keeping.STAGING);

  @Test
  void staging_chunksLiveAsLongAsTheirLease_andNobodyElseFindsThem() throws Exception {
    try (CacheFixture at = new CacheFixture(4, PolicyName.LRU, STAGING)) {
      ChunkLease lease = at.cache.newLease();
      List<PendingChunk> chunks =
          CacheFixture.claimed(at.cache.claim(specs(keys(1, 2)), NOW, lease));
      chunks.forEach(chunk -> CacheFixture.stamp(chunk.body(), chunk.key()));
      assertThat(at.cache.commit(chunks, lease)).containsOnly(CommitOutcome.STAGED);

      assertThat(lease.key(1)).isEqualTo(key(2));
      assertThat(isStamped(lease.body(1), key(2))).isTrue();
      assertThat(at.has(1)).isFalse();
      assertThat(at.cache.exists(key(1))).isFalse();
      assertThat(at.cache.clear().chunks()).isZero();
      assertThat(at.cache.stats().detachedChunks()).isEqualTo(2);
      assertThat(at.cache.stats().room().budgetBytes()).isEqualTo(2L * PAGE_BYTES);
      lease.close();

      assertThat(at.pages.freePages()).isEqualTo(4);
      assertThat(at.cache.position()).isEqualTo(new LogPosition(0, 0, 0));
      assertThat(at.sink.sequence()).isZero();
    }
  }

  /** ALLOC-1: all is held, nothing may go: the answer comes within the bound. */
  @Test
  void staging_allIsHeld_oneMoreGetsNoSpaceInTime() throws Exception {
    try (CacheFixture at = new CacheFixture(10, PolicyName.LRU, STAGING);
        ChunkLease held = at.cache.newLease();
        ChunkLease lease = at.cache.newLease()) {
      at.putAll(keys(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), NOW, held);
      assertThat(at.putAll(keys(11), new Reserving.Waiting(Duration.ofMillis(100)), lease))
          .containsExactly(new Claim.NoSpace());
      assertThat(at.cache.stats().removedInAll()).isZero();
    }
  }

  @Test
  void staging_twoOfOneKey_areTwo() throws Exception {
    try (CacheFixture at = new CacheFixture(4, PolicyName.LRU, STAGING);
        ChunkLease first = at.cache.newLease();
        ChunkLease second = at.cache.newLease()) {
      at.putAll(keys(1), NOW, first);
      at.putAll(keys(1), NOW, second);
      assertThat(at.pages.freePages()).isEqualTo(2);
    }
  }

  @Test
  void nothing_isClaimedWhereNothingIsKept() throws Exception {
    RecordingSink sink = new RecordingSink();
    ChunkCache cache =
        new ChunkCache(
            ChunkMemory.none(PAGE_BYTES),
            PolicyName.LRU.create(1),
            sink,
            CacheOptions.DEFAULT.withKeeping(Keeping.NOTHING),
            System::nanoTime);
    try (ChunkLease lease = cache.newLease()) {
      assertThat(
              cache.claim(specs(keys(1, 2)), new Reserving.Waiting(Duration.ofSeconds(20)), lease))
          .containsOnly(new Claim.NotKept());
      assertThat(cache.claim(key(1), PAGE_BYTES, TOKENS, lease)).isEqualTo(new Claim.NotKept());
    }
    assertThat(cache.leasePrefix(keys(1)).size()).isZero();
    CacheStats stats = cache.stats();
    assertThat(stats.refused().notKept()).isEqualTo(3);
    assertThat(stats.capacityPages()).isZero();
    assertThat(stats.room().capacityBytes()).isZero();
    cache.shutdown();
    assertThat(sink.sequence()).isZero();
  }

  /** IDX-7: parts of a chunk are kept only where that is asked for. */
  @Test
  void partOfAChunk_hasItsOwnOutcome() throws Exception {
    ChunkSpec part = new ChunkSpec(key(1), 20, 88);
    BodyRule full = new BodyRule(null, TOKENS, false, null);
    try (CacheFixture at =
            new CacheFixture(1, PolicyName.LRU, CacheOptions.DEFAULT.withBodies(full));
        ChunkLease lease = at.cache.newLease()) {
      assertThat(at.cache.claim(List.of(part), NOW, lease)).containsExactly(new Claim.Unfull());
      assertThat(at.cache.stats().refused().unfull()).isEqualTo(1);
      assertThat(at.put(key(2), lease)).isTrue();
    }
    BodyRule any = new BodyRule(null, TOKENS, true, null);
    try (CacheFixture at =
            new CacheFixture(1, PolicyName.LRU, CacheOptions.DEFAULT.withBodies(any));
        ChunkLease lease = at.cache.newLease()) {
      at.put(5);
      List<PendingChunk> chunks = CacheFixture.claimed(at.cache.claim(List.of(part), NOW, lease));
      chunks.getFirst().body().fill((byte) 7);
      at.cache.commit(chunks, lease);
      assertThat(lease.body(0).byteSize()).isEqualTo(20);
      assertThat(lease.tokens(0)).isEqualTo(88);
    }
  }

  private static final int LAYERS = 3;
  private static final int HIDDEN = 2;

  private static final ChunkShape SHAPE =
      new ChunkShape(MemoryFormat.KV_T2D, Dtype.BFLOAT16, LAYERS, 4, HIDDEN);

  private static ChunkCache shaped(CacheFixture at, PageArena arena, @Nullable String model) {
    PageAllocator pages = new PageAllocator(arena, (int) SHAPE.bytes());
    return new ChunkCache(
        ChunkMemory.paged(pages),
        PolicyName.LRU.create(pages.capacity()),
        at.sink,
        CacheOptions.DEFAULT.withBodies(new BodyRule(model, SHAPE.tokens(), true, SHAPE)),
        System::nanoTime);
  }

  @Test
  void body_mustBeAsLongAsItsShapeSays() {
    int bytes = (int) SHAPE.bytes();
    int half = (int) SHAPE.ofTokens(2).bytes();
    try (CacheFixture at = new CacheFixture(1, PolicyName.LRU);
        PageArena arena = PageArena.anonymous(4L * bytes)) {
      ChunkCache cache = shaped(at, arena, null);
      try (ChunkLease lease = cache.newLease()) {
        assertThat(cache.claim(key(1), bytes - 1, 4, lease)).isEqualTo(new Claim.WrongSize(bytes));
        assertThat(cache.claim(key(1), bytes, 2, lease)).isEqualTo(new Claim.WrongSize(half));
        assertThat(cache.claim(key(1), bytes, 5, lease)).isEqualTo(new Claim.WrongSize(0));
        assertThat(cache.claim(key(1), bytes, 0, lease)).isEqualTo(new Claim.WrongSize(0));
        assertThat(cache.claim(key(1), half, 2, lease)).isInstanceOf(PendingChunk.class);
        assertThat(cache.claim(key(2), bytes, 4, lease)).isInstanceOf(PendingChunk.class);
        assertThat(cache.stats().refused().wrongSize()).isEqualTo(4);
      }
      ChunkCache ofAnother = shaped(at, arena, "another");
      try (ChunkLease lease = ofAnother.newLease()) {
        assertThat(ofAnother.claim(key(1), 5, 4, lease)).isInstanceOf(PendingChunk.class);
      }
    }
  }

  /** One claim, one admit, one evict for all layers of a chunk. */
  @Test
  void layers_areSlicesOfOneChunk() {
    int bytes = (int) SHAPE.bytes();
    try (CacheFixture at = new CacheFixture(1, PolicyName.LRU);
        PageArena arena = PageArena.anonymous(bytes)) {
      ChunkCache cache = shaped(at, arena, null);
      for (int tokens : new int[] {4, 1}) {
        try (ChunkLease lease = cache.newLease()) {
          ChunkShape shape = SHAPE.ofTokens(tokens);
          PendingChunk chunk =
              (PendingChunk) cache.claim(key(tokens), (int) shape.bytes(), tokens, lease);
          for (int layer = 0; layer < LAYERS; layer++) {
            chunk.layer(layer).fill((byte) (10 + layer));
          }
          assertThat(chunk.body().get(ValueLayout.JAVA_BYTE, shape.bytes() - 1))
              .isEqualTo((byte) 12);
          cache.commit(chunk, lease);
          for (int layer = 0; layer < LAYERS; layer++) {
            assertThat(lease.layer(0, layer).byteSize()).isEqualTo(shape.bytesOfLayer());
            assertThat(lease.layer(0, layer).get(ValueLayout.JAVA_BYTE, 0))
                .isEqualTo((byte) (10 + layer));
          }
          assertThat(lease.layer(0, 1).isReadOnly()).isTrue();
          assertThatThrownBy(() -> lease.layer(0, LAYERS))
              .isInstanceOf(IndexOutOfBoundsException.class);
        }
      }
      assertThat(at.sink.sequence()).isEqualTo(3);
    }
  }

  @Test
  void layers_areUnknownWithoutAShape() {
    try (CacheFixture at = new CacheFixture(1, PolicyName.LRU)) {
      at.put(1);
      try (ChunkLease lease = at.cache.leasePrefix(keys(1))) {
        assertThatThrownBy(() -> lease.layer(0, 0)).isInstanceOf(IllegalStateException.class);
      }
    }
  }
}
