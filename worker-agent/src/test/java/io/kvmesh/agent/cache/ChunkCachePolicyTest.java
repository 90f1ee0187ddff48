package io.kvmesh.agent.cache;

import static io.kvmesh.agent.cache.CacheFixture.PAGE_BYTES;
import static io.kvmesh.agent.cache.CacheFixture.TOKENS;
import static io.kvmesh.agent.cache.CacheFixture.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.common.key.ChunkKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * POL-4: a million random operations leave the same chunks in the cache as in a simple model, for
 * each policy that has a simple one; then all memory is free.
 */
class ChunkCachePolicyTest {

  private static final int PAGES = 7;
  private static final int KEYS = 24;
  private static final int OPERATIONS = 1_000_000;
  private static final Duration LIFETIME = Duration.ofNanos(20);
  private static final CacheOptions OPTIONS =
      CacheOptions.DEFAULT.withPins(new PinLimits(LIFETIME, 100));

  @ParameterizedTest
  @EnumSource(names = {"LRU", "FIFO", "LFU", "MRU"})
  void randomOperations_leaveWhatTheModelHas(PolicyName policy) throws InterruptedException {
    try (CacheFixture at = new CacheFixture(PAGES, policy, OPTIONS)) {
      new Run(at, policy, 7).operations();
    }
  }

  /** What a lease or an owner of pins holds. */
  private static final class Holder {
    private final ChunkLease lease;
    private final List<ChunkKey> keys = new ArrayList<>();

    Holder(ChunkLease lease) {
      this.lease = lease;
    }
  }

  private static final class Run {

    private final CacheFixture at;
    private final CacheModel model;
    private final String name;
    private final Random random;
    private final List<Holder> leases = new ArrayList<>();
    private final List<PendingChunk> pending = new ArrayList<>();
    private final Set<ChunkKey> pinned = new HashSet<>();
    private final PinOwner owner = new PinOwner("test", "owner");
    private long pinnedAt;

    Run(CacheFixture at, PolicyName policy, long seed) {
      this.at = at;
      this.model = new CacheModel(policy, PAGES);
      this.name = policy + " seed " + seed;
      this.random = new Random(seed);
    }

    void operations() throws InterruptedException {
      for (int step = 0; step < OPERATIONS; step++) {
        try {
          operate();
          if (!model.resident().keySet().equals(at.sink.resident)) {
            fail("resident " + at.sink.resident + ", model " + model.resident().keySet());
          }
        } catch (AssertionError | RuntimeException fault) {
          fail("%s step %d".formatted(name, step), fault);
        }
      }
      at.cache.abort(pending);
      leases.forEach(each -> each.lease.close());
      at.cache.pins().unpin(owner);
      at.cache.clear();
      assertThat(at.pages.freePages()).isEqualTo(PAGES);
      assertThat(at.sink.resident).isEmpty();
    }

    private void operate() throws InterruptedException {
      at.nanos.incrementAndGet();
      switch (random.nextInt(16)) {
        case 0, 1, 2 -> put();
        case 3 -> claim();
        case 4 -> settle();
        case 5, 6, 7 -> get();
        case 8, 9, 10 -> letGo();
        case 11 -> remove();
        case 12 -> pin();
        case 13 -> unpin();
        case 14 -> expire();
        default -> clearSometimes();
      }
    }

    private ChunkKey anyKey() {
      return key(random.nextInt(KEYS) * 0x9e3779b97f4a7c15L);
    }

    /** A batch of up to three different chunks, in one step. */
    private void put() throws InterruptedException {
      List<ChunkKey> keys = List.copyOf(new HashSet<>(List.of(anyKey(), anyKey(), anyKey())));
      Holder into = new Holder(at.cache.newLease());
      List<Claim> claims = at.putAll(keys, new Reserving.Now(), into.lease);
      List<ChunkKey> claimed = new ArrayList<>();
      for (int i = 0; i < keys.size(); i++) {
        ChunkKey key = keys.get(i);
        if (model.resident().containsKey(key)) {
          assertThat(claims.get(i)).isEqualTo(new Claim.Resident());
          model.hold(key);
          into.keys.add(key);
        } else if (model.claim()) {
          assertThat(claims.get(i)).isInstanceOf(PendingChunk.class);
          claimed.add(key);
        } else {
          assertThat(claims.get(i)).isEqualTo(new Claim.NoSpace());
        }
      }
      claimed.forEach(model::commit);
      into.keys.addAll(claimed);
      leases.add(into);
    }

    private void claim() throws InterruptedException {
      ChunkKey key = anyKey();
      boolean resident = model.resident().containsKey(key);
      boolean room = !resident && model.claim();
      try (ChunkLease lease = at.cache.newLease()) {
        Claim claim = at.cache.claim(key, PAGE_BYTES, TOKENS, lease);
        assertThat(claim instanceof PendingChunk).isEqualTo(room);
        if (claim instanceof PendingChunk chunk) {
          pending.add(chunk);
        }
      }
    }

    private void settle() {
      if (pending.isEmpty()) {
        return;
      }
      PendingChunk chunk = pending.remove(random.nextInt(pending.size()));
      if (random.nextBoolean()) {
        at.cache.abort(chunk);
        model.pending--;
        return;
      }
      Holder into = new Holder(at.cache.newLease());
      CacheFixture.stamp(chunk.body(), chunk.key());
      at.cache.commit(chunk, into.lease);
      model.commit(chunk.key());
      into.keys.add(chunk.key());
      leases.add(into);
    }

    private void get() {
      List<ChunkKey> keys = List.of(anyKey(), anyKey());
      Holder found = new Holder(at.cache.leasePrefix(keys));
      at.cache.touch(found.lease, found.lease.size());
      found.keys.addAll(keys.subList(0, found.lease.size()));
      found.keys.forEach(model::hold);
      found.keys.reversed().forEach(model::use);
      leases.add(found);
    }

    private void letGo() {
      if (!leases.isEmpty() && (leases.size() > 3 || random.nextBoolean())) {
        Holder holder = leases.remove(random.nextInt(leases.size()));
        for (int i = 0; i < holder.lease.size(); i++) {
          if (!CacheFixture.isStamped(holder.lease.body(i), holder.lease.key(i))) {
            fail("a foreign body");
          }
        }
        holder.lease.close();
        holder.keys.forEach(model::letGo);
      }
    }

    private void remove() {
      ChunkKey key = anyKey();
      assertThat(at.cache.remove(key, RemovalCause.REMOVED)).isEqualTo(model.remove(key));
    }

    private void pin() {
      ChunkKey key = anyKey();
      if (pinned.isEmpty() && at.cache.pins().pin(owner, List.of(key)).chunks() == 1) {
        pinned.add(key);
        model.hold(key);
        pinnedAt = at.nanos.get();
      }
    }

    private void unpin() {
      assertThat(at.cache.pins().unpin(owner)).isEqualTo(pinned.size());
      pinned.forEach(model::letGo);
      pinned.clear();
    }

    private void expire() {
      int expired = at.cache.pins().expire();
      if (!pinned.isEmpty() && at.nanos.get() - pinnedAt >= LIFETIME.toNanos()) {
        assertThat(expired).isEqualTo(1);
        pinned.forEach(model::letGo);
        pinned.clear();
      } else {
        assertThat(expired).isZero();
      }
    }

    private void clearSometimes() {
      if (random.nextInt(20) == 0) {
        at.cache.clear();
        model.clear();
      }
    }
  }
}
