package io.kvmesh.agent.cache;

import static io.kvmesh.agent.cache.CacheFixture.PAGE_BYTES;
import static io.kvmesh.agent.cache.CacheFixture.TOKENS;
import static io.kvmesh.agent.cache.CacheFixture.isStamped;
import static io.kvmesh.agent.cache.CacheFixture.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.common.key.ChunkKey;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random operations. After each step what the events say is what lookups find, and the digest is
 * right; after all of them every page is free.
 */
class ChunkCacheModelTest {

  private static final int PAGES = 7;
  private static final int KEYS = 24;

  @ParameterizedTest
  @EnumSource
  void randomOperations_eventsEqualContents_andAllMemoryIsFreeAtTheEnd(PolicyName policy) {
    try (CacheFixture at = new CacheFixture(PAGES, policy)) {
      new Run(at, policy, 42).operations(250_000);
    }
  }

  private static final class Run {

    private final CacheFixture at;
    private final PolicyName policy;
    private final long seed;
    private final Random random;
    private final List<ChunkLease> leases = new ArrayList<>();
    private final List<PendingChunk> pending = new ArrayList<>();
    private final List<ChunkKey> keys = new ArrayList<>();

    Run(CacheFixture at, PolicyName policy, long seed) {
      this.at = at;
      this.policy = policy;
      this.seed = seed;
      this.random = new Random(seed);
      for (long hash = 0; hash < KEYS; hash++) {
        keys.add(key(hash * 0x9e3779b97f4a7c15L));
      }
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
      pending.forEach(at.cache::abort);
      leases.forEach(ChunkLease::close);
      at.cache.clear();
      assertThat(at.pages.freePages()).isEqualTo(PAGES);
      assertThat(at.sink.resident).isEmpty();
    }

    private void operate() {
      switch (random.nextInt(12)) {
        case 0, 1, 2 -> claim();
        case 3, 4 -> commit();
        case 5 -> abort();
        case 6, 7 -> lease();
        case 8, 9 -> letGo();
        case 10 -> at.cache.remove(anyKey(), RemovalCause.REMOVED);
        default -> clearSometimes();
      }
    }

    private ChunkKey anyKey() {
      return keys.get(random.nextInt(KEYS));
    }

    private ChunkLease anyLease() {
      if (leases.isEmpty() || (leases.size() < 4 && random.nextBoolean())) {
        leases.add(at.cache.newLease());
      }
      return leases.get(random.nextInt(leases.size()));
    }

    private void claim() {
      ChunkKey key = anyKey();
      Set<ChunkKey> before = new HashSet<>(at.sink.resident);
      int free = at.pages.freePages();
      Claim claim = at.cache.claim(key, PAGE_BYTES, TOKENS, anyLease());
      int evicted = before.size() - at.sink.resident.size();
      switch (claim) {
        case Claim.Resident() -> assertThat(before).contains(key);
        case PendingChunk chunk -> {
          assertThat(evicted).isEqualTo(free == 0 ? 1 : 0);
          CacheFixture.stamp(chunk.body(), key);
          pending.add(chunk);
        }
        case Claim.NoSpace() -> {
          CacheStats stats = at.cache.stats();
          assertThat(stats.leasedChunks()).isEqualTo(stats.residentChunks());
          assertThat(evicted + free).isZero();
        }
        default -> fail("fits");
      }
    }

    private void commit() {
      if (!pending.isEmpty()) {
        PendingChunk chunk = pending.remove(random.nextInt(pending.size()));
        boolean wasResident = at.sink.resident.contains(chunk.key());
        ChunkLease into = anyLease();
        CommitOutcome outcome = at.cache.commit(chunk, into);
        assertThat(outcome == CommitOutcome.RESIDENT).isEqualTo(wasResident);
        assertThat(into.key(into.size() - 1)).isEqualTo(chunk.key());
      }
    }

    private void abort() {
      if (!pending.isEmpty()) {
        at.cache.abort(pending.remove(random.nextInt(pending.size())));
      }
    }

    private void lease() {
      List<ChunkKey> asked = List.of(anyKey(), anyKey(), anyKey());
      ChunkLease lease = at.cache.leasePrefix(asked);
      int expected = 0;
      while (expected < 3 && at.sink.resident.contains(asked.get(expected))) {
        expected++;
      }
      assertThat(lease.size()).isEqualTo(expected);
      at.cache.touch(lease, random.nextInt(lease.size() + 1));
      leases.add(lease);
    }

    private void letGo() {
      if (leases.size() > 3 || (!leases.isEmpty() && random.nextBoolean())) {
        ChunkLease lease = leases.remove(random.nextInt(leases.size()));
        for (int i = 0; i < lease.size(); i++) {
          assertThat(isStamped(lease.body(i), lease.key(i))).isTrue();
          assertThat(lease.checksum(i)).isEqualTo(ChunkChecksum.of(lease.body(i)));
        }
        lease.close();
      }
    }

    private void clearSometimes() {
      if (random.nextInt(20) == 0) {
        int before = at.sink.resident.size();
        Cleared cleared = at.cache.clear();
        assertThat(cleared.chunks()).isEqualTo(before - at.sink.resident.size());
        assertThat(cleared.tokens()).isEqualTo((long) cleared.chunks() * TOKENS);
        CacheStats stats = at.cache.stats();
        assertThat(stats.residentChunks()).isEqualTo(stats.leasedChunks());
      }
    }

    private void require() {
      LogPosition position = at.cache.position();
      if (position.sequence() != at.sink.sequence()
          || position.digest() != at.sink.digest
          || position.residentCount() != at.sink.resident.size()) {
        fail("position " + position + ", events say " + at.sink.resident);
      }
      for (ChunkKey key : keys) {
        try (ChunkLease lease = at.cache.leasePrefix(List.of(key))) {
          if ((lease.size() == 1) != at.sink.resident.contains(key)) {
            fail(key + " found: " + lease.size());
          }
        }
      }
      CacheStats stats = at.cache.stats();
      int used = stats.residentChunks() + stats.pendingChunks() + stats.detachedChunks();
      if (stats.freePages() + used != PAGES || stats.pendingChunks() != pending.size()) {
        fail(stats.toString());
      }
    }
  }
}
