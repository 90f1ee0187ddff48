package io.kvmesh.agent.cache;

import static io.kvmesh.agent.cache.CacheFixture.keys;
import static io.kvmesh.agent.cache.CacheFixture.specs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.cache.policy.PolicyName;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** ALLOC-1: waiting for room ends at a release, at its deadline or at the close, and in order. */
@Timeout(60)
class WaitingClaimTest {

  private static final Reserving LONG = new Reserving.Waiting(Duration.ofSeconds(50));
  private static final Reserving SHORT = new Reserving.Waiting(Duration.ofMillis(200));

  private final CacheFixture at =
      new CacheFixture(4, PolicyName.LRU, CacheOptions.DEFAULT.withMaxWaitingClaims(8));
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<ChunkLease> held = new ArrayList<>();

  @AfterEach
  void allMemoryIsFree() {
    at.cache.close();
    threads.close();
    held.forEach(ChunkLease::close);
    at.cache.clear();
    assertThat(at.pages.freePages()).isEqualTo(4);
    assertThat(at.cache.stats().waits().now()).isZero();
    at.close();
  }

  private void fillAndHold(int chunks) {
    for (long hash = 1; hash <= 4; hash++) {
      at.put(hash);
    }
    for (long hash = 1; hash <= chunks; hash++) {
      held.add(at.cache.leasePrefix(keys(hash)));
    }
  }

  /** The claims of a store that another thread is waiting for; its chunks are let go at once. */
  private Future<List<Claim>> storing(Reserving how, long... hashes) {
    return threads.submit(
        () -> {
          try (ChunkLease lease = at.cache.newLease()) {
            return at.putAll(keys(hashes), how, lease);
          }
        });
  }

  /** As above, once it waits. */
  private Future<List<Claim>> waiting(long... hashes) {
    int before = at.cache.stats().waits().now();
    Future<List<Claim>> claims = storing(LONG, hashes);
    await().until(() -> at.cache.stats().waits().now() == before + 1);
    return claims;
  }

  /** As above; the chunk stays held. */
  private Future<List<Claim>> waitingToHold(long hash) {
    int before = at.cache.stats().waits().now();
    ChunkLease lease = at.cache.newLease();
    held.add(lease);
    Future<List<Claim>> claims = threads.submit(() -> at.putAll(keys(hash), LONG, lease));
    await().until(() -> at.cache.stats().waits().now() == before + 1);
    return claims;
  }

  private static Class<?>[] kinds(Future<List<Claim>> claims) throws Exception {
    return claims.get().stream().map(Object::getClass).toArray(Class<?>[]::new);
  }

  @Test
  void everyThreadStores_allIsHeld_eachGetsNoSpaceAtItsDeadline_andOneReleaseLetsOneThrough()
      throws Exception {
    fillAndHold(4);
    List<Future<List<Claim>>> inVain =
        IntStream.range(10, 18).mapToObj(hash -> storing(SHORT, hash)).toList();
    for (Future<List<Claim>> claims : inVain) {
      assertThat(kinds(claims)).containsExactly(Claim.NoSpace.class);
    }
    assertThat(at.cache.stats().waits()).isEqualTo(new CacheStats.Waits(0, 8, 8, 0));

    List<Future<List<Claim>>> queue = new ArrayList<>();
    for (int hash = 10; hash < 18; hash++) {
      queue.add(waitingToHold(hash));
    }
    assertThat(at.has(1)).as("lookups are answered meanwhile").isTrue();
    held.getFirst().close();

    assertThat(kinds(queue.getFirst())).containsExactly(PendingChunk.class);
    assertThat(at.cache.stats().waits().now()).isEqualTo(7);
    assertThat(queue.subList(1, 8)).noneMatch(Future::isDone);

    at.cache.close();
    for (Future<List<Claim>> claims : queue.subList(1, 8)) {
      assertThat(kinds(claims)).containsExactly(Claim.Closed.class);
    }
  }

  @Test
  void waiting_takesNoCpu() throws Exception {
    fillAndHold(4);
    Duration cpu =
        threads
            .submit(
                () -> {
                  long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
                  try (ChunkLease lease = at.cache.newLease()) {
                    at.putAll(keys(9), new Reserving.Waiting(Duration.ofSeconds(1)), lease);
                  }
                  return Duration.ofNanos(
                      ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start);
                })
            .get();
    assertThat(cpu).isLessThan(Duration.ofMillis(200));
  }

  @Test
  void batch_holdsNothingWhileItWaits_andGetsAllAtOnce() throws Exception {
    fillAndHold(4);
    Future<List<Claim>> first = waiting(10, 11, 12);
    Future<List<Claim>> second = waiting(20);
    held.get(0).close();
    held.get(1).close();
    assertThat(at.cache.stats().pendingChunks()).isZero();
    assertThat(first.isDone() || second.isDone()).as("nobody overtakes").isFalse();
    held.get(2).close();
    assertThat(kinds(first)).containsOnly(PendingChunk.class);
    assertThat(kinds(second)).containsOnly(PendingChunk.class);
  }

  @Test
  void batchLargerThanTheCache_getsWhatEverFitsWithoutWaitingInVain() throws Exception {
    fillAndHold(0);
    assertThat(kinds(storing(LONG, 10, 11, 12, 13, 14)))
        .containsExactly(
            PendingChunk.class,
            PendingChunk.class,
            PendingChunk.class,
            PendingChunk.class,
            Claim.NoSpace.class);
    assertThat(at.cache.stats().waits().waited()).isZero();
  }

  @Test
  void deadline_givesAsMuchAsThereIs() throws Exception {
    fillAndHold(3);
    assertThat(kinds(storing(SHORT, 10, 11)))
        .containsExactly(PendingChunk.class, Claim.NoSpace.class);
  }

  @Test
  void residentChunks_needNoRoom() throws Exception {
    fillAndHold(4);
    assertThat(kinds(storing(LONG, 1, 2, 3, 4))).containsOnly(Claim.Resident.class);
    assertThat(at.cache.stats().waits().waited()).isZero();
  }

  @Test
  void interrupted_leavesTheQueueToTheNext() throws Exception {
    fillAndHold(4);
    Future<List<Claim>> large = waiting(10, 11, 12, 13);
    Future<List<Claim>> small = waiting(20);
    held.getFirst().close();
    assertThat(small.isDone()).isFalse();
    large.cancel(true);
    assertThat(kinds(small)).containsExactly(PendingChunk.class);
  }

  @Test
  void closedLease_endsTheWait() throws Exception {
    fillAndHold(4);
    ChunkLease lease = at.cache.newLease();
    Future<List<Claim>> claims = threads.submit(() -> at.cache.claim(specs(keys(10)), LONG, lease));
    await().until(() -> at.cache.stats().waits().now() == 1);
    lease.close();
    assertThat(kinds(claims)).containsExactly(Claim.Closed.class);
  }

  @Test
  void tooManyWait_theNextIsAnsweredAtOnce() throws Exception {
    fillAndHold(4);
    for (int hash = 10; hash < 18; hash++) {
      assertThat(waiting(hash).isDone()).isFalse();
    }
    assertThat(kinds(storing(LONG, 30))).containsExactly(Claim.NoSpace.class);
    assertThat(at.cache.stats().waits().refused()).isEqualTo(1);
  }

  @Test
  void onlyFree_evictsNothing() throws Exception {
    at.put(1, 2, 3);
    assertThat(kinds(storing(new Reserving.OnlyFree(), 10, 11, 1)))
        .containsExactly(PendingChunk.class, Claim.NoSpace.class, Claim.Resident.class);
    assertThat(at.cache.stats().removedInAll()).isZero();
  }

  @Test
  void closed_refusesClaimsAndCommits() throws Exception {
    try (ChunkLease lease = at.cache.newLease()) {
      List<PendingChunk> pending =
          CacheFixture.claimed(at.cache.claim(specs(keys(1, 2)), new Reserving.Now(), lease));
      at.cache.close();
      assertThat(at.cache.commit(pending, lease)).containsOnly(CommitOutcome.CLOSED);
      assertThat(lease.size()).isZero();
      assertThat(kinds(storing(LONG, 9))).containsExactly(Claim.Closed.class);
      assertThat(at.sink.sequence()).isZero();
    }
  }

  @Test
  void batchIntoAClosedLease_leaksNothing() throws Exception {
    ChunkLease lease = at.cache.newLease();
    List<PendingChunk> pending =
        CacheFixture.claimed(at.cache.claim(specs(keys(1, 2)), new Reserving.Now(), lease));
    lease.close();
    assertThatThrownBy(() -> at.cache.commit(pending, lease))
        .isInstanceOf(IllegalStateException.class);
    assertThat(at.pages.freePages()).isEqualTo(4);
  }

  /** Stores wait while they hold what they have read: none waits for ever, nothing leaks. */
  @Test
  void storesAndRetrievesTogether_neverDeadlock() throws Exception {
    List<Future<?>> done = new ArrayList<>();
    for (int thread = 0; thread < 6; thread++) {
      long seed = thread;
      done.add(threads.submit(() -> storeAndRetrieve(new Random(seed))));
    }
    for (Future<?> each : done) {
      each.get();
    }
    assertThat(at.cache.stats().leasedChunks()).isZero();
  }

  private Void storeAndRetrieve(Random random) throws InterruptedException, ExecutionException {
    Reserving brief = new Reserving.Waiting(Duration.ofMillis(2));
    for (int round = 0; round < 500; round++) {
      long first = random.nextInt(20);
      try (ChunkLease lease = at.cache.leasePrefix(keys(first, first + 1))) {
        at.putAll(keys(first, first + 1, first + 2), brief, lease);
        for (int i = 0; i < lease.size(); i++) {
          if (!CacheFixture.isStamped(lease.body(i), lease.key(i))) {
            throw new AssertionError("a foreign body for " + lease.key(i));
          }
        }
      }
    }
    return null;
  }
}
