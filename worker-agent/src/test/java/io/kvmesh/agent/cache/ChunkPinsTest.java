package io.kvmesh.agent.cache;

import static io.kvmesh.agent.cache.CacheFixture.TOKENS;
import static io.kvmesh.agent.cache.CacheFixture.key;
import static io.kvmesh.agent.cache.CacheFixture.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.cache.policy.PolicyName;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(30)
class ChunkPinsTest {

  private static final Duration LIFETIME = Duration.ofMinutes(5);
  private static final CacheOptions ALL =
      CacheOptions.DEFAULT.withPins(new PinLimits(LIFETIME, 100));

  private static PinOwner owner(String name) {
    return new PinOwner("test", name);
  }

  private static long[] range(long from, long to) {
    return LongStream.range(from, to).toArray();
  }

  private static void pass(CacheFixture at, Duration time) {
    at.nanos.addAndGet(time.toNanos());
  }

  /** PIN-1: what was pinned and never fetched is free after the lifetime. */
  @Test
  void pinsThatNobodyTakesOff_endWithTheirLifetime() {
    try (CacheFixture at = new CacheFixture(100, PolicyName.LRU, ALL)) {
      at.put(range(0, 100));
      for (int i = 0; i < 1_000; i++) {
        at.cache.pins().pin(owner("request " + i), keys(range(i % 80, i % 80 + 20)));
        pass(at, Duration.ofMillis(100));
      }
      assertThat(at.cache.stats().pins().now()).isPositive();
      pass(at, LIFETIME);
      assertThat(at.cache.pins().expire()).isPositive();
      CacheStats stats = at.cache.stats();
      assertThat(stats.pins().now()).isZero();
      assertThat(stats.pins().owners()).isZero();
      assertThat(stats.leasedChunks()).isZero();
      at.put(range(1_000, 1_100));
      assertThat(at.cache.stats().noSpace()).isZero();
    }
  }

  /** PIN-2: what is taken off in time is never forced. */
  @Test
  void pinsTakenOffInTime_areNotForced() {
    try (CacheFixture at = new CacheFixture(10, PolicyName.LRU, ALL)) {
      at.put(range(0, 10));
      for (int round = 0; round < 100; round++) {
        at.cache.pins().pin(owner("a"), keys(0, 1, 2));
        pass(at, LIFETIME.dividedBy(2));
        assertThat(at.cache.pins().expire()).isZero();
        assertThat(at.cache.pins().unpin(owner("a"))).isEqualTo(3);
      }
      assertThat(at.cache.stats().pins()).isEqualTo(new CacheStats.Pins(0, 0, 0, 0));
    }
  }

  /** PIN-5: the same request pins the same chunks again. */
  @Test
  void pinnedAgainByOneOwner_isPinnedOnceAndForLonger() {
    try (CacheFixture at = new CacheFixture(16, PolicyName.LRU, ALL)) {
      at.put(range(0, 16));
      at.cache.pins().pin(owner("request"), keys(range(0, 16)));
      pass(at, LIFETIME.minusSeconds(1));
      assertThat(at.cache.pins().pin(owner("request"), keys(range(0, 16))))
          .isEqualTo(new Pinned(16, 16L * TOKENS, 0));
      pass(at, LIFETIME.minusSeconds(1));
      assertThat(at.cache.pins().expire()).isZero();
      assertThat(at.cache.stats().pins().now()).isEqualTo(16);
      assertThat(at.cache.pins().unpin(owner("request"))).isEqualTo(16);
      assertThat(at.cache.stats().leasedChunks()).isZero();
    }
  }

  @Test
  void eachPin_hasItsOwnDeadline() {
    try (CacheFixture at = new CacheFixture(4, PolicyName.LRU, ALL)) {
      at.put(1, 2, 3);
      at.cache.pins().pin(owner("a"), keys(1, 2));
      pass(at, LIFETIME.dividedBy(2));
      at.cache.pins().pin(owner("a"), keys(2, 3));
      pass(at, LIFETIME.dividedBy(2));
      assertThat(at.cache.pins().expire()).isEqualTo(1);
      assertThat(at.cache.remove(key(1), RemovalCause.REMOVED)).isTrue();
      assertThat(at.cache.remove(key(2), RemovalCause.REMOVED)).isFalse();
      assertThat(at.cache.stats().pins().forced()).isEqualTo(1);
    }
  }

  @Test
  void owners_unpinOnlyWhatTheyPinned() {
    try (CacheFixture at = new CacheFixture(4, PolicyName.LRU, ALL)) {
      at.put(1, 2);
      at.cache.pins().pin(owner("a"), keys(1, 2));
      at.cache.pins().pin(owner("b"), keys(1));
      assertThat(at.cache.pins().unpin(owner("c"))).isZero();
      assertThat(at.cache.pins().unpin(owner("a"), keys(1, 9))).isEqualTo(1);
      assertThat(at.cache.pins().unpin(owner("a"), keys(1))).isZero();
      assertThat(at.cache.clear().chunks()).isZero();
      at.cache.pins().pin(new PinOwner("other", "a"), keys(2));
      assertThat(at.cache.pins().unpinGroup("test")).isEqualTo(2);
      assertThat(at.cache.clear().chunks()).isEqualTo(1);
      assertThat(at.has(2)).isTrue();
    }
  }

  @Test
  void pin_isOfThePrefixAndNoUse() {
    try (CacheFixture at = new CacheFixture(3, PolicyName.LRU, ALL)) {
      at.put(1, 2, 4);
      assertThat(at.cache.pins().pin(owner("a"), keys(1, 2, 3, 4)).chunks()).isEqualTo(2);
      at.cache.pins().unpin(owner("a"));
      at.put(5);
      assertThat(at.has(1)).isFalse();
      assertThat(at.cache.pins().pin(owner("a"), keys(1))).isEqualTo(new Pinned(0, 0, 0));
      assertThat(at.cache.stats().pins().owners()).isZero();
    }
  }

  @Test
  void tooMany_areRefusedAndCounted() {
    CacheOptions half = CacheOptions.DEFAULT;
    try (CacheFixture at = new CacheFixture(8, PolicyName.LRU, half)) {
      at.put(range(0, 8));
      assertThat(at.cache.pins().pin(owner("a"), keys(range(0, 6))))
          .isEqualTo(new Pinned(4, 4L * TOKENS, 2));
      assertThat(at.cache.pins().pin(owner("b"), keys(7))).isEqualTo(new Pinned(0, 0, 1));
      assertThat(at.cache.stats().pins()).isEqualTo(new CacheStats.Pins(4, 1, 0, 3));
      at.cache.pins().unpin(owner("a"), keys(3));
      assertThat(at.cache.pins().pin(owner("a"), keys(range(0, 4))).chunks()).isEqualTo(4);
    }
  }

  /** PIN-10: pinned chunks don't stand in the way of the others. */
  @ParameterizedTest
  @EnumSource
  void everyTenthChunkPinned_theRestCanBeReplaced(PolicyName policy) {
    try (CacheFixture at = new CacheFixture(100, policy, ALL)) {
      at.put(range(0, 100));
      for (long hash = 0; hash < 100; hash += 10) {
        at.cache.pins().pin(owner("a"), keys(hash));
      }
      try (ChunkLease request = at.cache.newLease()) {
        for (long hash = 1_000; hash < 1_090; hash++) {
          assertThat(at.put(key(hash), request)).isTrue();
        }
      }
      assertThat(at.has(0)).isTrue();
    }
  }

  /** One unpin lets exactly one of those through that wait for room. */
  @Test
  void allPinned_oneUnpinLetsOneThrough() throws Exception {
    try (CacheFixture at = new CacheFixture(4, PolicyName.LRU, ALL);
        ExecutorService threads = Executors.newCachedThreadPool();
        ChunkLease kept = at.cache.newLease()) {
      at.put(1, 2, 3, 4);
      at.cache.pins().pin(owner("a"), keys(1, 2, 3, 4));
      Reserving patient = new Reserving.Waiting(Duration.ofSeconds(20));
      List<Future<List<Claim>>> stores =
          LongStream.range(10, 14)
              .mapToObj(hash -> threads.submit(() -> at.putAll(keys(hash), patient, kept)))
              .toList();
      await().until(() -> at.cache.stats().waits().now() == 4);
      at.cache.pins().unpin(owner("a"), keys(2));
      await().until(() -> stores.stream().filter(Future::isDone).count() == 1);
      assertThat(at.cache.stats().waits().now()).isEqualTo(3);
      assertThat(at.has(2)).isFalse();
      at.cache.close();
    }
  }

  @Test
  void shutdown_endsThePins() {
    try (CacheFixture at = new CacheFixture(4, PolicyName.LRU, ALL)) {
      at.put(1, 2);
      at.cache.pins().pin(owner("a"), keys(1, 2));
      at.cache.shutdown();
      assertThat(at.cache.stats().pins().now()).isZero();
      assertThat(at.pages.freePages()).isEqualTo(4);
    }
  }

  @Test
  void monitor_takesOldPinsOff() {
    try (CacheFixture at = new CacheFixture(4, PolicyName.LRU, ALL);
        PinMonitor monitor = new PinMonitor(at.cache.pins(), Duration.ofMillis(5))) {
      at.put(1);
      at.cache.pins().pin(owner("a"), keys(1));
      monitor.start();
      pass(at, LIFETIME);
      await().until(() -> at.cache.stats().pins().forced() == 1);
    }
  }

  @Test
  void limitsThatAreNone_areRefused() {
    assertThatThrownBy(() -> new PinLimits(Duration.ZERO, 50))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new PinLimits(LIFETIME, 101))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
