package io.kvmesh.agent.cache;

import static io.kvmesh.agent.cache.CacheFixture.key;
import static io.kvmesh.agent.cache.CacheFixture.keys;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.common.key.ChunkKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * ALLOC-3: two hours of the cache's clock at three times the chunks that it has room for. The
 * property {@code kvmesh.test.soak} says for how many seconds; each policy has its share.
 */
@Timeout(4 * 3600)
class CacheSoakTest {

  private static final Logger LOG = LoggerFactory.getLogger(CacheSoakTest.class);
  private static final Duration SOAK = Duration.ofSeconds(Long.getLong("kvmesh.test.soak", 3));
  private static final int MINUTES = 120;
  private static final int PAGES = 64;
  private static final int KEYS = 3 * PAGES;
  private static final int PINNED_KEYS = 8;
  private static final long LOST = 0;
  private static final int THREADS = 6;
  private static final int BATCH = 4;
  private static final int CHECKED_EVERY = 64;

  @ParameterizedTest
  @EnumSource
  void hoursOfTraffic_loseNoPage(PolicyName policy) throws Exception {
    Duration minute = SOAK.dividedBy((long) MINUTES * PolicyName.values().length);
    try (CacheFixture at = new CacheFixture(PAGES, policy);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      long requests = 0;
      for (int i = 0; i < MINUTES; i++) {
        requests += minute(at, minute, i, threads);
        at.put(LOST);
        at.cache.pins().pin(new PinOwner("soak", "lost in minute " + i), keys(LOST));
        at.nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        at.cache.pins().expire();
        requireAtRest(at);
      }
      CacheStats stats = at.cache.stats();
      LOG.info("{}: {} requests, {} chunks stored", policy, requests, stats.admitted());
      assertThat(stats.pins().forced()).as("pins that were left behind").isPositive();
      at.nanos.addAndGet(Duration.ofHours(1).toNanos());
      at.cache.pins().expire();
      at.cache.clear();
      assertThat(at.pages.freePages()).isEqualTo(PAGES);
      assertThat(at.sink.resident).isEmpty();
    }
  }

  private static long minute(CacheFixture at, Duration length, int minute, ExecutorService threads)
      throws Exception {
    long end = System.nanoTime() + length.toNanos();
    List<Callable<Long>> tasks = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      Traffic traffic = new Traffic(at, new Random((long) minute * THREADS + i));
      tasks.add(() -> traffic.until(end));
    }
    long requests = 0;
    for (Future<Long> each : threads.invokeAll(tasks)) {
      requests += each.get();
    }
    return requests;
  }

  /** Nobody has a request: what is used is what is resident, and what is held is pinned. */
  private static void requireAtRest(CacheFixture at) {
    CacheStats stats = at.cache.stats();
    requireAccounts(stats);
    assertThat(stats.pendingChunks()).isZero();
    assertThat(stats.detachedChunks()).isZero();
    assertThat(stats.residentChunks()).isEqualTo(at.sink.resident.size());
    assertThat(stats.leasedChunks()).isLessThanOrEqualTo(stats.pins().now());
  }

  /** Used is resident and in flight. Far fewer are held than there is room for. */
  private static void requireAccounts(CacheStats stats) {
    assertThat(stats.residentChunks() + stats.pendingChunks() + stats.detachedChunks())
        .isEqualTo(PAGES - stats.freePages());
    assertThat(stats.noSpace()).isZero();
  }

  /** One engine's. */
  private static final class Traffic {

    private final CacheFixture at;
    private final Random random;

    Traffic(CacheFixture at, Random random) {
      this.at = at;
      this.random = random;
    }

    long until(long end) throws InterruptedException {
      long requests = 0;
      do {
        request();
        other();
        if (requests++ % CHECKED_EVERY == 0) {
          requireAccounts(at.cache.stats());
        }
      } while (System.nanoTime() < end);
      return requests;
    }

    /** Reads what is there of a prompt and stores the rest, of which the end may not come. */
    private void request() throws InterruptedException {
      int first = random.nextInt(KEYS);
      List<ChunkKey> prompt =
          LongStream.range(first, first + BATCH).mapToObj(i -> key(i % KEYS)).toList();
      try (ChunkLease lease = at.cache.leasePrefix(prompt)) {
        int here = lease.size();
        at.cache.touch(lease, here);
        List<PendingChunk> claimed =
            CacheFixture.claimed(
                at.cache.claim(
                    CacheFixture.specs(prompt.subList(here, BATCH)), new Reserving.Now(), lease));
        claimed.forEach(chunk -> CacheFixture.stamp(chunk.body(), chunk.key()));
        int come = claimed.isEmpty() ? 0 : 1 + random.nextInt(claimed.size());
        at.cache.commit(claimed.subList(0, come), lease);
        at.cache.abort(claimed.subList(come, claimed.size()));
        for (int i = 0; i < lease.size(); i++) {
          if (!CacheFixture.isStamped(lease.body(i), lease.key(i))) {
            throw new AssertionError("a foreign body for " + lease.key(i));
          }
        }
      }
    }

    private void other() {
      PinOwner owner = new PinOwner("soak", "owner " + random.nextInt(4));
      ChunkKey pinned = key(random.nextInt(PINNED_KEYS));
      switch (random.nextInt(64)) {
        case 0, 1 -> at.cache.pins().pin(owner, List.of(pinned));
        case 2 -> at.cache.pins().unpin(owner);
        case 3 -> at.cache.remove(key(random.nextInt(KEYS)), RemovalCause.REMOVED);
        case 4 -> at.cache.clear();
        default -> {}
      }
    }
  }
}
