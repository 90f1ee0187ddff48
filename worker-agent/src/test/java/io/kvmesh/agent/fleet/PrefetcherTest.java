package io.kvmesh.agent.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.directory.Holder;
import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.agent.transfer.TestAgentBuilder;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.wire.PrefetchOutcome;
import io.kvmesh.common.wire.PrefetchState;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Prefixes brought to an agent from real peers, by a directory that knows what they have. */
@Timeout(60)
class PrefetcherTest {

  private static final int NEVER = Integer.MAX_VALUE;
  private static final List<ChunkKey> KEYS = TestAgent.keys(1, 12);

  private final Counters<PrefetchCount> counters = new Counters<>(PrefetchCount.class);
  private final BlockingQueue<PrefetchReport> over = new LinkedBlockingQueue<>();
  private final AtomicInteger asked = new AtomicInteger();
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final List<TestAgent> peers = new ArrayList<>();

  /** Ahead of the machine's clock. */
  private final AtomicLong nanoTime = new AtomicLong();

  private volatile int hangAt = NEVER;
  private volatile int dieAt = NEVER;
  private TestAgent agent;
  private Prefetcher prefetcher;

  @BeforeEach
  void start() throws IOException {
    start(TestAgent.named("me"), Prefetchers.LIMITS);
  }

  private void start(TestAgentBuilder builder, PrefetchLimits limits) throws IOException {
    agent = builder.start();
    prefetcher =
        Prefetchers.of(
            agent,
            Prefetchers.fleet(agent, this::lookUp),
            limits,
            counters,
            () -> System.nanoTime() + nanoTime.get());
  }

  private void startAnew(TestAgentBuilder builder, PrefetchLimits limits) throws IOException {
    prefetcher.close();
    agent.close();
    start(builder, limits);
  }

  private TestAgent peer(String name, List<ChunkKey> keys) throws IOException {
    TestAgent peer = TestAgent.named(name).start();
    peer.store(keys);
    peers.add(peer);
    return peer;
  }

  @AfterEach
  void stop() {
    goOn.countDown();
    prefetcher.close();
    agent.requireSettled();
    agent.close();
    peers.forEach(TestAgent::close);
  }

  private LookupOutcome lookUp(Keyspace keyspace, List<ChunkHash> hashes, Duration atMost)
      throws InterruptedException {
    int time = asked.incrementAndGet();
    if (time == hangAt) {
      goOn.await();
    }
    List<Holder> holders = new ArrayList<>();
    for (TestAgent peer : peers) {
      int has = 0;
      while (has < hashes.size() && peer.cache.exists(new ChunkKey(keyspace, hashes.get(has)))) {
        has++;
      }
      if (has > 0) {
        holders.add(
            new Holder(peer.self.id().instanceId(), "LocalCPUBackend", has, peer.address(), 1));
      }
    }
    if (time == dieAt) {
      peers.forEach(TestAgent::closeDoors);
    }
    return holders.isEmpty() ? new LookupOutcome.Miss() : new LookupOutcome.Found(holders);
  }

  private static PrefetchId id(String name) {
    return new PrefetchId("test", name);
  }

  private Prefetcher.Entry begin(String name, List<ChunkKey> keys) {
    return prefetcher.begin(id(name), keys, 0, over::add);
  }

  private PrefetchReport prefetch(List<ChunkKey> keys) throws InterruptedException {
    assertThat(begin("it", keys)).isEqualTo(Prefetcher.Entry.BEGUN);
    return nextOver();
  }

  private PrefetchReport nextOver() throws InterruptedException {
    PrefetchReport report = over.poll(50, TimeUnit.SECONDS);
    assertThat(report).isNotNull();
    assertThat(report.outcomes().values().stream().mapToInt(Integer::intValue).sum())
        .isEqualTo(report.chunks());
    return report;
  }

  /** Without those of which there are none. */
  private static Map<PrefetchOutcome, Integer> outcomes(PrefetchReport report) {
    Map<PrefetchOutcome, Integer> some = new EnumMap<>(report.outcomes());
    some.values().removeIf(many -> many == 0);
    return some;
  }

  @Test
  void prefix_isBroughtInBatches_andIsLikeAnyOther() throws Exception {
    TestAgent peer = peer("one", KEYS);

    PrefetchReport report = prefetch(KEYS);

    assertThat(report.state()).isEqualTo(PrefetchState.DONE);
    assertThat(outcomes(report)).isEqualTo(Map.of(PrefetchOutcome.BROUGHT, 12));
    assertThat(report.tokens()).isEqualTo(12L * TestAgent.TOKENS);
    assertThat(report.sequence()).isEqualTo(12);
    assertThat(agent.resident(KEYS)).isEqualTo(12);
    assertThat(asked).as("once for each batch of two").hasValue(6);
    assertThat(agent.cache.clear().chunks()).as("none is held").isEqualTo(12);
    assertThat(prefetcher.find(id("it"))).contains(report);
    assertThat(counters.get(PrefetchCount.DONE)).isEqualTo(1);
    assertThat(counters.get(PrefetchCount.CHUNK_BROUGHT)).isEqualTo(12);
    peer.requireSettled();
  }

  @Test
  void targetThatHasAll_asksNobody() throws Exception {
    agent.store(KEYS);

    PrefetchReport report = prefetch(KEYS);

    assertThat(report.state()).isEqualTo(PrefetchState.DONE);
    assertThat(outcomes(report)).isEqualTo(Map.of(PrefetchOutcome.RESIDENT, 12));
    assertThat(asked).hasValue(0);
  }

  @Test
  void whatIsHereAlready_isUsedAndNotPulled_alsoBehindHoles() throws Exception {
    agent.store(KEYS.subList(0, 3));
    agent.store(KEYS.subList(6, 9));
    peer("one", KEYS);

    PrefetchReport report = prefetch(KEYS);

    assertThat(outcomes(report))
        .isEqualTo(Map.of(PrefetchOutcome.RESIDENT, 6, PrefetchOutcome.BROUGHT, 6));
    assertThat(agent.resident(KEYS)).isEqualTo(12);
  }

  @Test
  void prefix_isPutTogetherFromAllThatHaveParts() throws Exception {
    agent.store(KEYS.subList(4, 5));
    peer("one", KEYS.subList(0, 4));
    peer("two", KEYS.subList(5, 9));
    peer("three", KEYS.subList(8, 11));

    PrefetchReport report = prefetch(KEYS);

    assertThat(report.state()).isEqualTo(PrefetchState.DONE);
    assertThat(outcomes(report))
        .isEqualTo(
            Map.of(
                PrefetchOutcome.RESIDENT,
                1,
                PrefetchOutcome.BROUGHT,
                10,
                PrefetchOutcome.MISSING,
                1));
    assertThat(agent.resident(KEYS)).isEqualTo(11);
  }

  @Test
  void prefixThatNobodyHas_isMissing() throws Exception {
    PrefetchReport report = prefetch(KEYS);

    assertThat(report.state()).isEqualTo(PrefetchState.DONE);
    assertThat(outcomes(report)).isEqualTo(Map.of(PrefetchOutcome.MISSING, 12));
    assertThat(counters.get(PrefetchCount.CHUNK_MISSING)).isEqualTo(12);
  }

  @Test
  void cancelledInMidWay_keepsWhatCame() throws Exception {
    peer("one", KEYS);
    hangAt = 3;
    assertThat(begin("it", KEYS)).isEqualTo(Prefetcher.Entry.BEGUN);
    await().until(() -> asked.get() == 3);
    PrefetchReport soFar = prefetcher.find(id("it")).orElseThrow();
    assertThat(soFar.state()).isEqualTo(PrefetchState.RUNNING);
    assertThat(outcomes(soFar))
        .isEqualTo(Map.of(PrefetchOutcome.BROUGHT, 4, PrefetchOutcome.UNTRIED, 8));
    assertThat(prefetcher.holding()).isEqualTo(4);
    assertThat(prefetcher.underWay()).hasSize(1);

    assertThat(prefetcher.cancel(id("it"))).isPresent();

    PrefetchReport report = nextOver();
    assertThat(report.state()).isEqualTo(PrefetchState.CANCELLED);
    assertThat(outcomes(report)).isEqualTo(outcomes(soFar));
    assertThat(agent.resident(KEYS)).isEqualTo(4);
    assertThat(prefetcher.holding()).isZero();
    assertThat(counters.get(PrefetchCount.CANCELLED)).isEqualTo(1);
    assertThat(prefetcher.cancel(id("it"))).as("is over").contains(report);
    assertThat(prefetcher.cancel(id("other"))).isEmpty();
  }

  @Test
  void timeThatIsOver_endsIt() throws Exception {
    peer("one", KEYS);
    hangAt = 2;
    assertThat(prefetcher.begin(id("it"), KEYS, 30_000, over::add))
        .isEqualTo(Prefetcher.Entry.BEGUN);
    await().until(() -> asked.get() == 2);
    nanoTime.addAndGet(Duration.ofSeconds(30).toNanos());
    goOn.countDown();

    PrefetchReport report = nextOver();
    assertThat(report.state()).isEqualTo(PrefetchState.TIMED_OUT);
    assertThat(report.count(PrefetchOutcome.UNTRIED)).isGreaterThan(0);
    assertThat(agent.resident(KEYS)).isEqualTo(report.count(PrefetchOutcome.BROUGHT));
    assertThat(counters.get(PrefetchCount.TIMED_OUT)).isEqualTo(1);
  }

  @Test
  void holderThatDies_endsIt_andWhatCameStays() throws Exception {
    startAnew(TestAgent.named("me").connectTimeout(Duration.ofSeconds(3)), Prefetchers.LIMITS);
    TestAgent peer = peer("one", KEYS);
    dieAt = 3;

    PrefetchReport report = prefetch(KEYS);

    assertThat(report.state()).isEqualTo(PrefetchState.FAILED);
    assertThat(report.reason()).isEqualTo("unavailable");
    assertThat(outcomes(report))
        .isEqualTo(
            Map.of(
                PrefetchOutcome.BROUGHT, 4, PrefetchOutcome.FAILED, 2, PrefetchOutcome.UNTRIED, 6));
    assertThat(agent.resident(KEYS)).isEqualTo(4);
    assertThat(counters.get(PrefetchCount.CHUNK_FAILED)).isEqualTo(2);
    peers.remove(peer);
    peer.unmap();
  }

  @Test
  void moreThanMayRun_areRefusedAndCounted_asIsAnIdThatIsTaken() throws Exception {
    peer("one", KEYS);
    hangAt = 1;
    assertThat(begin("a", KEYS)).isEqualTo(Prefetcher.Entry.BEGUN);
    await().until(() -> asked.get() == 1);
    assertThat(begin("a", KEYS)).isEqualTo(Prefetcher.Entry.DUPLICATE);
    assertThat(begin("b", TestAgent.keys(100, 1))).isEqualTo(Prefetcher.Entry.BEGUN);
    await().until(() -> over.size() == 1);
    hangAt = 3;
    assertThat(begin("c", KEYS.subList(2, 4))).isEqualTo(Prefetcher.Entry.BEGUN);
    await().until(() -> asked.get() == 3);

    assertThat(begin("d", KEYS)).isEqualTo(Prefetcher.Entry.BUSY);

    assertThat(counters.get(PrefetchCount.REFUSED)).isEqualTo(1);
    goOn.countDown();
    await().until(() -> over.size() == 3);
    assertThat(begin("d", KEYS)).isEqualTo(Prefetcher.Entry.BEGUN);
    await().until(() -> over.size() == 4);
    assertThat(agent.resident(KEYS)).isEqualTo(12);
  }

  @Test
  void prefixLongerThanItsShareOfTheCache_endsThere_andNothingOfItWasEvictedForTheRest()
      throws Exception {
    startAnew(TestAgent.named("me").pages(24, 4096), Prefetchers.LIMITS);
    List<ChunkKey> others = TestAgent.keys(100, 24);
    agent.store(others);
    peer("one", KEYS);

    PrefetchReport report = prefetch(KEYS);

    assertThat(report.state()).isEqualTo(PrefetchState.OVER_SHARE);
    assertThat(outcomes(report))
        .isEqualTo(Map.of(PrefetchOutcome.BROUGHT, 6, PrefetchOutcome.UNTRIED, 6));
    assertThat(agent.resident(KEYS)).isEqualTo(6);
    assertThat(agent.cache.stats().residentChunks()).as("18 others are here").isEqualTo(24);
  }

  @Test
  void cacheWhoseChunksAreHeld_hasNoRoom() throws Exception {
    startAnew(TestAgent.named("me").pages(8, 4096), Prefetchers.LIMITS);
    agent.store(TestAgent.keys(100, 8));
    peer("one", KEYS);
    try (ChunkLease held = agent.cache.leasePrefix(TestAgent.keys(100, 7))) {
      assertThat(held.size()).isEqualTo(7);

      PrefetchReport report = prefetch(KEYS);

      assertThat(report.state()).isEqualTo(PrefetchState.NO_ROOM);
      assertThat(outcomes(report))
          .isEqualTo(Map.of(PrefetchOutcome.BROUGHT, 1, PrefetchOutcome.UNTRIED, 11));
    }
  }

  @Test
  void group_endsTogether_andClosingEndsAll() throws Exception {
    peer("one", KEYS);
    hangAt = 1;
    assertThat(begin("a", KEYS)).isEqualTo(Prefetcher.Entry.BEGUN);
    await().until(() -> asked.get() == 1);
    prefetcher.endGroup("other");
    assertThat(prefetcher.underWay()).hasSize(1);
    prefetcher.endGroup("test");
    assertThat(nextOver().state()).isEqualTo(PrefetchState.CANCELLED);

    hangAt = 2;
    assertThat(begin("b", KEYS)).isEqualTo(Prefetcher.Entry.BEGUN);
    await().until(() -> asked.get() == 2);
    prefetcher.close();
    assertThat(nextOver().state()).isEqualTo(PrefetchState.CANCELLED);
    assertThat(begin("c", KEYS)).isEqualTo(Prefetcher.Entry.CLOSING);
  }
}
