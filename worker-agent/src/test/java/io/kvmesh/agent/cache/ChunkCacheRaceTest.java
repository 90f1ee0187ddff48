package io.kvmesh.agent.cache;

import static io.kvmesh.agent.cache.CacheFixture.isStamped;
import static io.kvmesh.agent.cache.CacheFixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.common.key.ChunkKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** RACE, UAF-5: no reader ever sees a foreign or a torn body. */
class ChunkCacheRaceTest {

  private static final int READERS = 16;
  private static final int WRITERS = 8;
  private static final int KEYS = 200;
  private static final int PAGES = 4;
  private static final int ROUNDS = 4_000;

  @Test
  @Timeout(60)
  void readersAndWriters_fewPages_everyBodyIsWhole() throws Exception {
    try (CacheFixture at = new CacheFixture(PAGES, PolicyName.LRU);
        ExecutorService threads = Executors.newFixedThreadPool(READERS + WRITERS)) {
      CountDownLatch writing = new CountDownLatch(WRITERS);
      List<Callable<Long>> tasks = new ArrayList<>();
      for (int i = 0; i < READERS; i++) {
        long seed = i;
        tasks.add(() -> read(at, new Random(seed), writing));
      }
      for (int i = 0; i < WRITERS; i++) {
        long seed = 100L + i;
        tasks.add(() -> write(at, new Random(seed), writing));
      }
      List<Future<Long>> done = threads.invokeAll(tasks, 50, TimeUnit.SECONDS);
      assertThat(sum(done.subList(0, READERS))).as("bodies read").isPositive();
      assertThat(sum(done.subList(READERS, done.size()))).as("bodies stored").isPositive();
      assertThat(at.cache.stats().leasedChunks()).isZero();
      at.cache.clear();
      assertThat(at.pages.freePages()).isEqualTo(PAGES);
      assertThat(at.sink.resident).isEmpty();
    }
  }

  private static long sum(List<Future<Long>> done) throws Exception {
    long sum = 0;
    for (Future<Long> each : done) {
      sum += each.get();
    }
    return sum;
  }

  private static long read(CacheFixture at, Random random, CountDownLatch writing) {
    long bodies = 0;
    while (writing.getCount() > 0 && !Thread.currentThread().isInterrupted()) {
      int first = random.nextInt(KEYS);
      List<ChunkKey> asked = List.of(key(first), key((first + 1) % KEYS));
      ChunkLease lease = at.cache.leasePrefix(asked);
      for (int i = 0; i < lease.size(); i++) {
        if (!lease.key(i).equals(asked.get(i))
            || !isStamped(lease.body(i), asked.get(i))
            || lease.checksum(i) != ChunkChecksum.of(lease.body(i))) {
          throw new AssertionError("a foreign or torn body for " + asked.get(i));
        }
        bodies++;
      }
      at.cache.touch(lease, lease.size());
      lease.close();
    }
    return bodies;
  }

  private static long write(CacheFixture at, Random random, CountDownLatch writing) {
    long stored = 0;
    for (int round = 0; round < ROUNDS; round++) {
      int first = random.nextInt(KEYS);
      try (ChunkLease lease = at.cache.newLease()) {
        for (int i = 0; i < 2; i++) {
          stored += at.put(key((first + i) % KEYS), lease) ? 1 : 0;
        }
      }
    }
    writing.countDown();
    return stored;
  }

  /** RACE-1: of a removal and a put at once, what the events say is what is there. */
  @Test
  @Timeout(60)
  void removalAndPutAtOnce_eventsSayWhatIsThere() throws Exception {
    try (CacheFixture at = new CacheFixture(2, PolicyName.LRU);
        ExecutorService threads = Executors.newFixedThreadPool(2)) {
      for (int round = 0; round < 20_000; round++) {
        at.put(1);
        CyclicBarrier together = new CyclicBarrier(2);
        Future<Boolean> removed =
            threads.submit(
                () -> {
                  together.await();
                  return at.cache.remove(key(1), RemovalCause.REMOVED);
                });
        together.await();
        at.put(1);
        boolean wasRemoved = removed.get();
        boolean there = at.cache.exists(key(1));
        if (there != at.sink.resident.contains(key(1)) || (!wasRemoved && !there)) {
          throw new AssertionError("round %d: %s, removed %s".formatted(round, there, wasRemoved));
        }
      }
    }
  }
}
