package io.kvmesh.agent.cache;

import static io.kvmesh.agent.cache.CacheFixture.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.agent.memory.PageAllocator;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.agent.memory.RangeAllocator;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.control.PackOutcome;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Chunks that are compressed are like others, but for where their bodies lie. */
@Timeout(120)
class CompressedChunksTest {

  private static final int PAGE = 16_384;
  private static final int PAGES = 6;
  private static final int TOKENS = 16;
  private static final int PACKED_UNITS = 4;
  private static final Set<CompressionMethod> ALL = EnumSet.allOf(CompressionMethod.class);

  private final PageArena arena = PageArena.anonymous(PAGES * PAGE);
  private final PageArena packedArena =
      PageArena.anonymous(PACKED_UNITS * RangeAllocator.DEFAULT_ALIGNMENT);
  private final PageAllocator pages = new PageAllocator(arena, PAGE);
  private final RangeAllocator ranges = new RangeAllocator(packedArena);
  private final RecordingSink events = new RecordingSink();
  private ChunkCache cache = cache(PolicyName.LRU);

  private ChunkCache cache(PolicyName policy) {
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
  private static void fill(MemorySegment body, ChunkKey key) {
    long seed = key.hash().bits();
    byte[] bytes = new byte[(int) body.byteSize()];
    new Random(seed).nextBytes(bytes);
    int random = seed % 3 == 0 ? bytes.length : 100;
    for (int i = random; i < bytes.length; i++) {
      bytes[i] = bytes[i % random];
    }
    MemorySegment.copy(bytes, 0, body, ValueLayout.JAVA_BYTE, 0, bytes.length);
  }

  private static void requireRight(ChunkLease lease) {
    for (int i = 0; i < lease.size(); i++) {
      MemorySegment right = MemorySegment.ofArray(new byte[lease.bytes(i)]);
      fill(right, lease.key(i));
      assertThat(body(lease, i).mismatch(right)).as("body of %s", lease.key(i)).isEqualTo(-1);
      assertThat(lease.checksum(i)).isEqualTo(ChunkChecksum.of(right));
    }
  }

  private static MemorySegment body(ChunkLease lease, int index) {
    CompressionMethod method = lease.compressedBy(index);
    if (method == null) {
      return lease.body(index);
    }
    MemorySegment body = Arena.ofAuto().allocate(lease.bytes(index));
    assertThat(method.expand(lease.stored(index), body)).isTrue();
    return body;
  }

  private void store(long... hashes) {
    for (long hash : hashes) {
      try (ChunkLease lease = cache.newLease()) {
        if (cache.claim(key(hash), PAGE, TOKENS, lease) instanceof PendingChunk chunk) {
          fill(chunk.body(), chunk.key());
          cache.commit(chunk, lease);
        }
      }
    }
  }

  private PackOutcome pack(long hash, CompressionMethod method) {
    return cache.packer().pack(key(hash), method, cache.packer().lastNumber()).outcome();
  }

  private int resident(long... hashes) {
    try (ChunkLease lease =
        cache.leasePrefix(LongStream.of(hashes).mapToObj(CacheFixture::key).toList())) {
      requireRight(lease);
      return lease.size();
    }
  }

  @ParameterizedTest
  @EnumSource
  void compressedChunk_hasNoPage_andIsReadAsItWasStored(CompressionMethod method) {
    store(1, 2);
    long sequence = events.sequence();
    ChunkPacker.Result result = cache.packer().pack(key(1), method, 0);
    assertThat(result.outcome()).isEqualTo(PackOutcome.COMPRESSED);
    assertThat(result.tokens()).isEqualTo(TOKENS);
    assertThat(result.bytes()).isEqualTo(PAGE);
    assertThat(result.packedBytes()).isBetween(1, 1000);
    CacheStats stats = cache.stats();
    assertThat(stats.freePages()).isEqualTo(PAGES - 1);
    assertThat(stats.residentChunks()).isEqualTo(2);
    assertThat(stats.packed().bytesBefore()).isEqualTo(PAGE);
    assertThat(stats.packed().bytesAfter()).isEqualTo(result.packedBytes());
    assertThat(pack(1, method)).isEqualTo(PackOutcome.ALREADY);

    assertThat(resident(1, 2)).isEqualTo(2);

    assertThat(cache.stats().packed().chunks()).isZero();
    assertThat(cache.stats().packed().decompressed()).isEqualTo(1);
    assertThat(cache.stats().freePages()).isEqualTo(PAGES - 2);
    assertThat(ranges.freeBytes()).isEqualTo(ranges.capacityBytes());
    assertThat(events.sequence()).as("neither is an event").isEqualTo(sequence);
  }

  /**
   * Of two that store one chunk the second comes late, when it is compressed and no page is free.
   */
  @Test
  void commitOfCompressedChunk_needsNoFurtherPage() {
    try (ChunkLease late = cache.newLease();
        ChunkLease others = cache.newLease()) {
      PendingChunk second = (PendingChunk) cache.claim(key(1), PAGE, TOKENS, late);
      store(1);
      assertThat(pack(1, CompressionMethod.ZSTD)).isEqualTo(PackOutcome.COMPRESSED);
      for (long hash = 10; cache.stats().freePages() > 0; hash++) {
        cache.claim(key(hash), PAGE, TOKENS, others);
      }

      assertThat(cache.commit(second, late)).isEqualTo(CommitOutcome.RESIDENT);

      requireRight(late);
      assertThat(late.size()).isEqualTo(1);
      assertThat(cache.stats().residentChunks()).isEqualTo(1);
      assertThat(cache.stats().packed().chunks()).isZero();
    }
  }

  @Test
  void whatShrinksTooLittle_isHeld_orIsNotThere_staysAsItIs() {
    store(1, 3);
    assertThat(pack(3, CompressionMethod.LZ4)).isEqualTo(PackOutcome.TOO_LITTLE);
    assertThat(pack(3, CompressionMethod.ZSTD)).isEqualTo(PackOutcome.TOO_LITTLE);
    assertThat(pack(2, CompressionMethod.ZSTD)).isEqualTo(PackOutcome.GONE);
    cache.pins().pin(new PinOwner("g", "n"), List.of(key(1)));
    assertThat(pack(1, CompressionMethod.ZSTD)).isEqualTo(PackOutcome.IN_USE);
    assertThat(cache.stats().freePages()).isEqualTo(PAGES - 2);
    assertThat(resident(1)).isEqualTo(1);
  }

  @Test
  void decompress_givesItAPageAgain_whereOneCanBeHad() {
    store(1);
    pack(1, CompressionMethod.ZSTD);
    assertThat(cache.packer().unpack(key(1)).outcome()).isEqualTo(PackOutcome.DECOMPRESSED);
    assertThat(cache.packer().unpack(key(1)).outcome()).isEqualTo(PackOutcome.ALREADY);
    assertThat(cache.packer().unpack(key(9)).outcome()).isEqualTo(PackOutcome.GONE);
    pack(1, CompressionMethod.ZSTD);
    store(2, 4, 5, 7, 8, 10);
    try (ChunkLease all = cache.leasePrefix(CacheFixture.keys(2, 4, 5, 7, 8, 10))) {
      assertThat(all.size()).isEqualTo(PAGES);
      assertThat(cache.packer().unpack(key(1)).outcome()).isEqualTo(PackOutcome.NO_ROOM);
      assertThat(resident(2, 1, 4)).as("a prefix ends where there is no page").isEqualTo(1);
      assertThat(cache.exists(key(1))).isTrue();
    }
    assertThat(resident(1)).isEqualTo(1);
  }

  @Test
  void chunkThatIsReadAsItLies_staysCompressed_andOthersAreWrittenBack() {
    store(1, 2, 4);
    pack(1, CompressionMethod.ZSTD);
    pack(2, CompressionMethod.LZ4);
    try (ChunkLease lease =
        cache.leasePrefix(CacheFixture.keys(1, 2, 4), Set.of(CompressionMethod.ZSTD))) {
      assertThat(lease.size()).isEqualTo(3);
      assertThat(lease.compressedBy(0)).isEqualTo(CompressionMethod.ZSTD);
      assertThat(lease.compressedBy(1)).isNull();
      assertThat(lease.compressedBy(2)).isNull();
      assertThat(lease.stored(0).byteSize()).isBetween(1L, 1000L);
      assertThat(lease.stored(2).byteSize()).isEqualTo(PAGE);
      assertThatThrownBy(() -> lease.body(0)).isInstanceOf(IllegalStateException.class);
      requireRight(lease);
    }
    assertThat(cache.stats().packed().chunks()).isEqualTo(1);
    assertThat(cache.stats().packed().decompressed()).isEqualTo(1);
  }

  /** Readers of the compressed body and of the page are side by side. */
  @Test
  void bodyThatIsReadAsItLies_keepsItsMemory_whateverBecomesOfItsChunk() {
    List<Runnable> fates =
        List.of(
            () -> assertThat(resident(1)).isEqualTo(1),
            () -> cache.withdraw(key(1), RemovalCause.REMOVED),
            () -> cache.remove(key(1), RemovalCause.REMOVED),
            () -> cache.clear(),
            this::replaceOne,
            () -> {
              for (long hash : new long[] {2, 4, 5, 7, 8}) {
                store(hash);
                pack(hash, CompressionMethod.ZSTD);
              }
            },
            () -> {
              assertThat(resident(1)).isEqualTo(1);
              assertThat(pack(1, CompressionMethod.LZ4)).isEqualTo(PackOutcome.IN_USE);
              cache.remove(key(1), RemovalCause.REMOVED);
            });
    for (Runnable fate : fates) {
      store(1);
      assertThat(pack(1, CompressionMethod.ZSTD)).isEqualTo(PackOutcome.COMPRESSED);
      long free = ranges.freeBytes();
      ChunkLease other = cache.leasePrefix(List.of(key(1)), ALL);
      try (ChunkLease one = cache.leasePrefix(List.of(key(1)), ALL)) {
        MemorySegment stored = one.stored(0);
        fate.run();
        assertThat(ranges.freeBytes()).isLessThanOrEqualTo(free);
        other.close();
        assertThat(ranges.freeBytes()).isLessThanOrEqualTo(free);
        assertThat(one.stored(0)).isSameAs(stored);
        requireRight(one);
      }
      cache.clear();
      assertThat(ranges.freeBytes()).isEqualTo(ranges.capacityBytes());
      assertThat(pages.freePages()).isEqualTo(PAGES);
    }
  }

  private void replaceOne() {
    try (ChunkLease lease = cache.newLease()) {
      ChunkSpec spec = new ChunkSpec(key(1), PAGE, TOKENS, true, null);
      PendingChunk chunk =
          (PendingChunk) cache.claim(List.of(spec), new Reserving.Now(), lease).getFirst();
      fill(chunk.body(), chunk.key());
      assertThat(cache.commit(chunk, lease)).isEqualTo(CommitOutcome.STORED);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void pressureOnPages_leavesTheCompressedAlone() {
    store(1, 2);
    pack(1, CompressionMethod.ZSTD);
    pack(2, CompressionMethod.ZSTD);
    for (long hash = 100; hash < 130; hash++) {
      store(hash);
    }
    assertThat(cache.exists(key(1)) && cache.exists(key(2))).isTrue();
    assertThat(cache.stats().residentChunks()).isEqualTo(PAGES + 2);
  }

  @Test
  void compressed_giveWayToLaterOnes_butNotWithinOneCommand() {
    for (long hash : new long[] {1, 2, 4, 5}) {
      store(hash);
      assertThat(pack(hash, CompressionMethod.ZSTD)).isEqualTo(PackOutcome.COMPRESSED);
    }
    store(7, 8);
    assertThat(cache.packer().pack(key(7), CompressionMethod.ZSTD, 0).outcome())
        .isEqualTo(PackOutcome.NO_ROOM);
    assertThat(events.resident).hasSize(6);
    assertThat(pack(7, CompressionMethod.ZSTD)).isEqualTo(PackOutcome.COMPRESSED);
    assertThat(cache.exists(key(1))).as("the first that was compressed").isFalse();
    assertThat(events.resident).hasSize(5);
    assertThat(resident(2, 4, 5, 7, 8)).isEqualTo(5);
  }

  @Test
  void bodyThatIsHarmed_isNotReadAndGoes() {
    store(1);
    pack(1, CompressionMethod.ZSTD);
    ranges.segment(0, 64).fill((byte) 7);
    assertThatThrownBy(() -> resident(1)).isInstanceOf(IllegalStateException.class);
    assertThat(resident(1)).isZero();
    assertThat(cache.stats().freePages()).isEqualTo(PAGES);
    assertThat(events.resident).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void methods_giveBackWhatTheyGot_andTellWhatTheyCannot(CompressionMethod method) {
    try (Arena memory = Arena.ofConfined()) {
      MemorySegment body = memory.allocate(PAGE);
      fill(body, key(4));
      MemorySegment shorter = memory.allocate(PAGE);
      int length = method.compress(body, shorter);
      assertThat(length).isBetween(1, 1000);
      assertThat(method.compress(body, shorter.asSlice(0, length / 2))).isZero();
      MemorySegment again = memory.allocate(PAGE);
      method.compress(body, shorter);
      assertThat(method.expand(shorter.asSlice(0, length), again)).isTrue();
      assertThat(again.mismatch(body)).isEqualTo(-1);
      assertThat(method.expand(shorter.asSlice(0, length), again.asSlice(0, PAGE / 2))).isFalse();
      assertThat(method.expand(shorter.asSlice(0, length - 3), again)).isFalse();
      assertThat(CompressionMethod.named(method.text())).contains(method);
    }
    assertThat(CompressionMethod.named("cachegen")).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void randomOperations_eventsEqualContents_andAllMemoryIsFreeAtTheEnd(PolicyName policy) {
    cache = cache(policy);
    new Run(policy, System.nanoTime()).operations(20_000);
  }

  private final class Run {

    private static final int KEYS = 20;

    private final PolicyName policy;
    private final long seed;
    private final Random random;
    private final List<ChunkLease> leases = new ArrayList<>();
    private final List<PendingChunk> pending = new ArrayList<>();

    Run(PolicyName policy, long seed) {
      this.policy = policy;
      this.seed = seed;
      this.random = new Random(seed);
    }

    void operations(int operations) {
      for (int step = 0; step < operations; step++) {
        try {
          operate();
          require();
        } catch (AssertionError | RuntimeException fault) {
          fail("%s seed %d step %d".formatted(policy, seed, step), fault);
        }
      }
      pending.forEach(cache::abort);
      leases.forEach(ChunkLease::close);
      cache.pins().unpinGroup("g");
      cache.clear();
      assertThat(pages.freePages()).as("seed %d", seed).isEqualTo(PAGES);
      assertThat(ranges.freeBytes()).as("seed %d", seed).isEqualTo(ranges.capacityBytes());
      assertThat(events.resident).as("seed %d", seed).isEmpty();
    }

    private ChunkKey anyKey() {
      return key(random.nextInt(KEYS));
    }

    private ChunkLease anyLease() {
      if (leases.isEmpty() || (leases.size() < 3 && random.nextBoolean())) {
        leases.add(cache.newLease());
      }
      return leases.get(random.nextInt(leases.size()));
    }

    private void operate() {
      switch (random.nextInt(16)) {
        case 0, 1, 2 -> claim();
        case 3, 4 -> commit();
        case 5 -> lease(random.nextBoolean() ? ALL : Set.of());
        case 6, 7, 8 -> letGo();
        case 9 -> removeOrWithdraw();
        case 10 -> pinOrUnpin();
        case 11, 12, 13 -> pack();
        case 14 -> unpack();
        default -> clearSometimes();
      }
    }

    private void claim() {
      ChunkKey key = anyKey();
      if (cache.claim(key, PAGE, TOKENS, anyLease()) instanceof PendingChunk chunk) {
        fill(chunk.body(), key);
        pending.add(chunk);
      }
    }

    private void commit() {
      if (!pending.isEmpty()) {
        PendingChunk chunk = pending.remove(random.nextInt(pending.size()));
        ChunkLease into = anyLease();
        cache.commit(chunk, into);
        assertThat(into.key(into.size() - 1)).isEqualTo(chunk.key());
      }
    }

    private void removeOrWithdraw() {
      if (random.nextInt(4) == 0) {
        cache.withdraw(anyKey(), RemovalCause.REMOVED);
      } else {
        cache.remove(anyKey(), RemovalCause.REMOVED);
      }
    }

    private void lease(Set<CompressionMethod> asTheyLie) {
      ChunkLease lease = cache.leasePrefix(List.of(anyKey(), anyKey()), asTheyLie);
      requireRight(lease);
      cache.touch(lease, random.nextInt(lease.size() + 1));
      leases.add(lease);
    }

    private void letGo() {
      if (!leases.isEmpty()) {
        ChunkLease lease = leases.remove(random.nextInt(leases.size()));
        requireRight(lease);
        lease.close();
      }
    }

    private void pinOrUnpin() {
      PinOwner owner = new PinOwner("g", "n");
      if (random.nextInt(3) == 0) {
        cache.pins().pin(owner, List.of(anyKey()));
      } else {
        cache.pins().unpin(owner);
      }
    }

    private void pack() {
      CompressionMethod[] methods = CompressionMethod.values();
      ChunkKey key = anyKey();
      boolean there = events.resident.contains(key);
      long evictable = random.nextBoolean() ? cache.packer().lastNumber() : 0;
      PackOutcome outcome =
          cache.packer().pack(key, methods[random.nextInt(methods.length)], evictable).outcome();
      assertThat(outcome == PackOutcome.GONE).isEqualTo(!there);
      assertThat(events.resident.contains(key)).isEqualTo(there);
      if (key.hash().bits() % 3 == 0) {
        assertThat(outcome).isNotEqualTo(PackOutcome.COMPRESSED);
      }
    }

    private void unpack() {
      ChunkKey key = anyKey();
      boolean there = events.resident.contains(key);
      PackOutcome outcome = cache.packer().unpack(key).outcome();
      assertThat(outcome == PackOutcome.GONE).isEqualTo(!there);
      assertThat(events.resident.contains(key)).isEqualTo(there);
    }

    private void clearSometimes() {
      if (random.nextInt(10) == 0) {
        int before = events.resident.size();
        assertThat(cache.clear().chunks()).isEqualTo(before - events.resident.size());
      }
    }

    private void require() {
      LogPosition position = cache.position();
      if (position.sequence() != events.sequence()
          || position.digest() != events.digest
          || position.residentCount() != events.resident.size()) {
        fail("position " + position + ", events say " + events.resident);
      }
      for (long hash = 0; hash < KEYS; hash++) {
        if (cache.exists(key(hash)) != events.resident.contains(key(hash))) {
          fail("%d exists: %s".formatted(hash, cache.exists(key(hash))));
        }
      }
      CacheStats stats = cache.stats();
      int bodies = stats.residentChunks() + stats.pendingChunks() + stats.detachedChunks();
      if (stats.freePages() + bodies - stats.packed().chunks() != PAGES
          || stats.pendingChunks() != pending.size()) {
        fail(stats.toString());
      }
      assertThat(cache.snapshots().keysInPolicyOrder(Integer.MAX_VALUE))
          .hasSameSizeAs(events.resident);
    }
  }

  /** Readers, writers, and one who compresses all that is there. */
  @Test
  void readersAndWriters_seeNoForeignBody_whileChunksAreCompressed() throws Exception {
    AtomicReference<Throwable> fault = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      long seed = i;
      threads.add(Thread.ofPlatform().start(() -> work(seed, fault)));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(fault.get()).isNull();
    assertThat(cache.stats().packed().compressed()).isPositive();
    assertThat(cache.stats().packed().decompressed()).isPositive();
    cache.clear();
    assertThat(pages.freePages()).isEqualTo(PAGES);
    assertThat(ranges.freeBytes()).isEqualTo(ranges.capacityBytes());
    assertThat(events.resident).isEmpty();
  }

  /**
   * Nobody ends before bodies were compressed and read: who compresses is done with thousands of
   * absent chunks before another thread has begun to store one.
   */
  private void work(long seed, AtomicReference<Throwable> fault) {
    Random random = new Random(seed);
    try {
      for (int i = 0; fault.get() == null && (i < 3000 || !bothCounted()); i++) {
        long hash = random.nextInt(20);
        if (seed == 0) {
          pack(hash, i % 2 == 0 ? CompressionMethod.LZ4 : CompressionMethod.ZSTD);
        } else if (seed % 2 == 0) {
          store(hash);
        } else {
          resident(hash, random.nextInt(20), random.nextInt(20));
        }
      }
    } catch (Throwable e) {
      fault.set(e);
    }
  }

  private boolean bothCounted() {
    CacheStats.Packed packed = cache.stats().packed();
    return packed.compressed() > 0 && packed.decompressed() > 0;
  }
}
