package io.kvmesh.agent.cache;

import static io.kvmesh.agent.cache.CacheFixture.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvmesh.common.wire.control.PackOutcome;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Chunks that are compressed are like others, but for where their bodies lie. */
@Timeout(120)
class CompressedChunksTest extends CompressedChunksFixture {

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
}
