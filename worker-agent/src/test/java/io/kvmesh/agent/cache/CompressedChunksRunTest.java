package io.kvmesh.agent.cache;

import static io.kvmesh.agent.cache.CacheFixture.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.control.PackOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Chunks that are compressed, in random operations and under many threads. */
@Timeout(120)
class CompressedChunksRunTest extends CompressedChunksFixture {

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
