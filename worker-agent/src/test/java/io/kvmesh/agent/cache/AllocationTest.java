package io.kvmesh.agent.cache;

import static io.kvmesh.agent.cache.CacheFixture.PAGE_BYTES;
import static io.kvmesh.agent.cache.CacheFixture.TOKENS;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.agent.memory.PageAllocator;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.common.key.ChunkKey;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What the cache leaves to the garbage collector. */
class AllocationTest {

  private static final int CHUNKS = 1024;
  private static final int BATCH = 64;
  private static final int HEADERS = 256;

  /** A number and a slot for each. */
  private static final int GUESSES = ColdLookups.MOST * (Long.BYTES + Integer.BYTES);

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private interface Work {
    void run() throws InterruptedException;
  }

  private static long allocatedBy(Work work) throws InterruptedException {
    work.run();
    work.run();
    long before = THREADS.getCurrentThreadAllocatedBytes();
    work.run();
    return THREADS.getCurrentThreadAllocatedBytes() - before;
  }

  private static void store(ChunkCache cache, List<ChunkSpec> specs, long[] checksums)
      throws InterruptedException {
    try (ChunkLease lease = cache.newLease()) {
      List<Claim> claims = cache.claim(specs, new Reserving.Now(), lease);
      List<PendingChunk> pending = CacheFixture.claimed(claims);
      cache.commit(pending, checksums, lease);
    }
  }

  private static List<ChunkKey> keysFrom(long first, int count) {
    return LongStream.range(first, first + count).mapToObj(CacheFixture::key).toList();
  }

  @Test
  void hits_allocateNothingPerKeyButTheLeasesNumbers() throws InterruptedException {
    try (PageArena arena = PageArena.anonymous((long) CHUNKS * PAGE_BYTES)) {
      ChunkCache cache = cache(arena);
      List<ChunkKey> keys = keysFrom(0, CHUNKS);
      store(cache, CacheFixture.specs(keys), new long[CHUNKS]);
      long all = allocatedBy(() -> hit(cache, keys));
      assertThat(all).isLessThan((long) CHUNKS * Integer.BYTES + GUESSES + HEADERS);
    }
  }

  private static void hit(ChunkCache cache, List<ChunkKey> keys) {
    try (ChunkLease lease = cache.leasePrefix(keys)) {
      cache.touch(lease, lease.size());
    }
  }

  @Test
  void storesWithEviction_leaveUnder100BytesEach() throws InterruptedException {
    try (PageArena arena = PageArena.anonymous((long) CHUNKS * PAGE_BYTES)) {
      ChunkCache cache = cache(arena);
      List<List<ChunkKey>> batches =
          LongStream.range(0, 4 * CHUNKS / BATCH)
              .mapToObj(batch -> keysFrom(batch * BATCH, BATCH))
              .toList();
      long all =
          allocatedBy(
              () -> {
                for (List<ChunkKey> batch : batches) {
                  store(cache, specs(batch), new long[BATCH]);
                }
              });
      assertThat(cache.stats().removedInAll()).isGreaterThan(2 * CHUNKS);
      assertThat(all / ((long) batches.size() * BATCH)).isLessThan(100);
    }
  }

  private static List<ChunkSpec> specs(List<ChunkKey> keys) {
    ChunkSpec[] specs = new ChunkSpec[keys.size()];
    for (int i = 0; i < specs.length; i++) {
      specs[i] = new ChunkSpec(keys.get(i), PAGE_BYTES, TOKENS);
    }
    return List.of(specs);
  }

  private static ChunkCache cache(PageArena arena) {
    return new ChunkCache(
        new PageAllocator(arena, PAGE_BYTES), PolicyName.LRU.create(CHUNKS), new NumberingSink());
  }
}
