package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.common.key.ChunkKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A pull between two agents, when nothing is wrong with either. */
@Timeout(60)
class PullTest {

  private static final Duration SOON = Duration.ofSeconds(30);

  @Test
  void pull_ofAPrefixThatThePeerHolds_isAllResidentAfterwards() throws Exception {
    try (TestAgent owner = TestAgent.named("owner").start();
        TestAgent asker = TestAgent.named("asker").start()) {
      List<ChunkKey> keys = TestAgent.keys(1, 40);
      owner.store(keys);

      assertThat(asker.pull(owner.address(), keys, SOON)).isEqualTo(new PullOutcome.Hit(40));

      assertThat(asker.resident(keys)).isEqualTo(40);
      assertThat(owner.served.get(ServerCount.GET)).as("parts of 16 chunks").isEqualTo(3);
      asker.requireSettled();
      owner.requireSettled();
      owner.awaitServed(ServerCount.LOAN_DONE, 3);
    }
  }

  @Test
  void pull_ofMoreThanThePeerHolds_isTheShorterPrefix() throws Exception {
    try (TestAgent owner = TestAgent.named("owner").start();
        TestAgent asker = TestAgent.named("asker").start()) {
      List<ChunkKey> keys = TestAgent.keys(1, 7);
      owner.store(keys.subList(0, 3));
      owner.store(keys.subList(4, 7));

      assertThat(asker.pull(owner.address(), keys, SOON)).isEqualTo(new PullOutcome.Hit(3));

      assertThat(asker.resident(keys)).isEqualTo(3);
      assertThat(asker.cache.stats().residentChunks()).isEqualTo(3);
      asker.requireSettled();
    }
  }

  @Test
  void pull_ofWhatThePeerLacks_isAMiss() throws Exception {
    try (TestAgent owner = TestAgent.named("owner").start();
        TestAgent asker = TestAgent.named("asker").start()) {
      assertThat(asker.pull(owner.address(), TestAgent.keys(1, 3), SOON))
          .isEqualTo(new PullOutcome.Miss());
      asker.requireSettled();
    }
  }

  @Test
  void pull_withAChunkBehindTheGapHere_doesNotPullThatOneAndCountsIt() throws Exception {
    try (TestAgent owner = TestAgent.named("owner").start();
        TestAgent asker = TestAgent.named("asker").start()) {
      List<ChunkKey> keys = TestAgent.keys(1, 5);
      owner.store(keys);
      asker.store(keys.subList(2, 3));

      assertThat(asker.pull(owner.address(), keys, SOON)).isEqualTo(new PullOutcome.Hit(5));

      assertThat(asker.pulled.get(PullCount.CHUNK)).isEqualTo(4);
      assertThat(asker.resident(keys)).isEqualTo(5);
    }
  }

  @Test
  void pull_whenThePeerEndsBeforeAChunkThatIsHere_endsThereToo() throws Exception {
    try (TestAgent owner = TestAgent.named("owner").start();
        TestAgent asker = TestAgent.named("asker").start()) {
      List<ChunkKey> keys = TestAgent.keys(1, 5);
      owner.store(keys.subList(0, 1));
      asker.store(keys.subList(3, 4));

      assertThat(asker.pull(owner.address(), keys, SOON)).isEqualTo(new PullOutcome.Hit(1));
      asker.requireSettled();
    }
  }

  @Test
  void pull_intoACacheWithTooLittleRoom_pullsTheShorterPrefix() throws Exception {
    try (TestAgent owner = TestAgent.named("owner").start();
        TestAgent asker = TestAgent.named("asker").pages(4, 4096).start()) {
      List<ChunkKey> keys = TestAgent.keys(1, 6);
      owner.store(keys);

      assertThat(asker.pull(owner.address(), keys, SOON)).isEqualTo(new PullOutcome.NoRoom(4));

      assertThat(asker.resident(keys)).isEqualTo(4);
      asker.requireSettled();
    }
  }

  @Test
  void pull_ofChunksOfOtherSizes_keepsTheirSizes() throws Exception {
    try (TestAgent owner = TestAgent.named("owner").start();
        TestAgent asker = TestAgent.named("asker").start()) {
      List<ChunkKey> keys = TestAgent.keys(1, 3);
      owner.store(keys.subList(0, 2));
      owner.store(keys.get(2), 1000, 3);

      assertThat(asker.pull(owner.address(), keys, SOON)).isEqualTo(new PullOutcome.Hit(3));

      try (ChunkLease lease = asker.cache.leasePrefix(keys)) {
        assertThat(lease.bytes(2)).isEqualTo(1000);
        assertThat(lease.tokens(2)).isEqualTo(3);
      }
      asker.requireSettled();
    }
  }

  @Test
  void pull_ofPagesLongerThanAFrame_isWhole() throws Exception {
    int page = 2 * (1 << 20) + 4096;
    try (TestAgent owner = TestAgent.named("owner").pages(6, page).start();
        TestAgent asker = TestAgent.named("asker").pages(6, page).getBytes(8 << 20).start()) {
      List<ChunkKey> keys = TestAgent.keys(1, 5);
      owner.store(keys);

      assertThat(asker.pull(owner.address(), keys, SOON)).isEqualTo(new PullOutcome.Hit(5));

      assertThat(asker.resident(keys)).isEqualTo(5);
      asker.requireSettled();
      owner.requireSettled();
    }
  }

  @Test
  void pull_isNoUseAtTheOwner() throws Exception {
    try (TestAgent owner = TestAgent.named("owner").pages(4, 4096).start();
        TestAgent asker = TestAgent.named("asker").start()) {
      List<ChunkKey> keys = TestAgent.keys(1, 4);
      owner.store(keys);

      asker.pull(owner.address(), keys.subList(0, 1), SOON);
      owner.requireSettled();
      owner.store(TestAgent.keys(9, 1));

      assertThat(owner.resident(keys)).as("the first is still the first to go").isZero();
    }
  }

  @Test
  void pull_ofTheSameChunksByManyAtOnce_pullsThemOnce() throws Exception {
    try (TestAgent owner = TestAgent.named("owner").start();
        TestAgent asker = TestAgent.named("asker").start()) {
      List<ChunkKey> keys = TestAgent.keys(1, 32);
      owner.store(keys);

      assertThat(inParallel(8, () -> asker.pull(owner.address(), keys, SOON)))
          .containsOnly(new PullOutcome.Hit(32));

      assertThat(asker.pulled.get(PullCount.CHUNK)).isEqualTo(32);
      assertThat(asker.pulled.get(PullCount.HANDSHAKE)).isEqualTo(1);
      asker.requireSettled();
      owner.requireSettled();
    }
  }

  @Test
  void pull_withLittleAllowedInFlight_isWholeAllTheSame() throws Exception {
    try (TestAgent owner = TestAgent.named("owner").start();
        TestAgent asker =
            TestAgent.named("asker").getBytes(2 * 4096).maxInFlight(3 * 4096).start()) {
      List<ChunkKey> keys = TestAgent.keys(1, 32);
      owner.store(keys);

      List<PullOutcome> outcomes = inParallel(4, () -> asker.pull(owner.address(), keys, SOON));

      assertThat(outcomes).containsOnly(new PullOutcome.Hit(32));
      asker.requireSettled();
    }
  }

  @Test
  void pull_underConstantEviction_isAlwaysAnExactPrefix() throws Exception {
    try (TestAgent owner = TestAgent.named("owner").pages(24, 4096).start();
        TestAgent asker = TestAgent.named("asker").pages(24, 4096).start()) {
      for (int round = 0; round < 200; round++) {
        List<ChunkKey> keys = TestAgent.keys(round * 8L, 16);
        owner.store(keys);
        owner.store(TestAgent.keys(1_000_000 + round * 4L, 4));

        PullOutcome outcome = asker.pull(owner.address(), keys, SOON);

        assertThat(outcome).isInstanceOfAny(PullOutcome.Hit.class, PullOutcome.Miss.class);
      }
      asker.requireSettled();
      owner.requireSettled();
    }
  }

  @Test
  void pull_afterTheOwnerTookANewEpoch_shakesHandsAgain() throws Exception {
    try (TestAgent owner = TestAgent.named("owner").start();
        TestAgent asker = TestAgent.named("asker").start()) {
      owner.store(TestAgent.keys(1, 4));
      asker.pull(owner.address(), TestAgent.keys(1, 2), SOON);
      owner.epoch.set(200);

      assertThat(asker.pull(owner.address(), TestAgent.keys(3, 2), SOON))
          .isEqualTo(new PullOutcome.Hit(2));

      assertThat(asker.pulled.get(PullCount.HANDSHAKE)).isEqualTo(2);
    }
  }

  @Test
  void pull_fromAnOwnerThatIsFencedMeanwhile_isAMiss() throws Exception {
    try (TestAgent owner = TestAgent.named("owner").start();
        TestAgent asker = TestAgent.named("asker").start()) {
      owner.store(TestAgent.keys(1, 4));
      asker.pull(owner.address(), TestAgent.keys(1, 1), SOON);
      owner.fenced.set(true);

      assertThat(asker.pull(owner.address(), TestAgent.keys(2, 1), SOON))
          .isEqualTo(new PullOutcome.Miss());
    }
  }

  @Test
  void pull_fromAnOwnerThatKnowsNoEpoch_isUnavailable() throws Exception {
    try (TestAgent owner = TestAgent.named("owner").start();
        TestAgent asker = TestAgent.named("asker").start()) {
      owner.store(TestAgent.keys(1, 4));
      owner.epoch.set(-1);

      assertThat(asker.pull(owner.address(), TestAgent.keys(1, 1), SOON))
          .isInstanceOf(PullOutcome.Unavailable.class);
      asker.requireSettled();
    }
  }

  private static List<PullOutcome> inParallel(int threads, Callable<PullOutcome> pull)
      throws Exception {
    List<PullOutcome> outcomes = new ArrayList<>();
    try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<PullOutcome>> futures = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        futures.add(executor.submit(pull));
      }
      for (Future<PullOutcome> future : futures) {
        outcomes.add(future.get());
      }
    }
    return outcomes;
  }
}
