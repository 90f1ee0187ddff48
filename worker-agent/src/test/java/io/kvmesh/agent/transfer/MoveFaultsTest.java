package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.process.LoopbackPorts;
import io.kvmesh.common.wire.control.MoveOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever happens while chunks are moved, each is at one side or the other. */
@Timeout(120)
class MoveFaultsTest extends MoveFixture {

  @Test
  void move_toATargetThatIsNotThere_isOverSoonAndLosesNothing() throws Exception {
    String nobody = "127.0.0.1:" + LoopbackPorts.free();
    try (TestAgent source =
        TestAgent.named("source").connectTimeout(Duration.ofMillis(500)).start()) {
      source.store(TestAgent.keys(1, 40));
      MoveReport report = ended(begin(source, nobody, null, false));
      assertThat(report.stopped()).contains("can't be reached");
      assertThat(report.count(MoveOutcome.UNCONFIRMED)).isEqualTo(16);
      assertThat(report.count(MoveOutcome.UNTRIED)).isEqualTo(24);
      assertThat(source.resident(TestAgent.keys(1, 40))).isEqualTo(40);
      requireSettled(source);
    }
  }

  @Test
  void move_toATargetThatWasFenced_isRefused() throws Exception {
    try (TestAgent source = source();
        TestAgent target = target()) {
      source.store(TestAgent.keys(1, 4));
      target.fenced.set(true);
      MoveReport report = move(source, target, null, false);
      assertThat(report.stopped()).contains("later life");
      assertThat(source.resident(TestAgent.keys(1, 4))).isEqualTo(4);
      requireSettled(source, target);
    }
  }

  /**
   * What was yet to be removed here stays, since the target's later life promised nothing of it.
   */
  @Test
  void move_whileTheTargetTakesANewEpoch_goesOn() throws Exception {
    try (TestAgent source = source();
        TestAgent target = target()) {
      List<ChunkKey> keys = TestAgent.keys(1, 60);
      source.store(keys);
      // These go first, and are held here until it is over.
      List<ChunkKey> held = keys.subList(56, 60);
      try (ChunkLease lease = source.cache.leasePrefix(held)) {
        assertThat(lease.size()).isEqualTo(4);
        source.gate.closeWhen(() -> target.cache.stats().residentChunks() > 10);
        CompletableFuture<MoveReport> move = begin(source, target.address(), null, false);
        awaitTheMiddle(source, target);
        target.epoch.set(101);
        source.gate.open();

        MoveReport report = ended(move);

        assertThat(report.stopped()).isNull();
        assertThat(report.count(MoveOutcome.MOVED) + report.count(MoveOutcome.NOT_HELD))
            .as("%s", report)
            .isEqualTo(60);
        assertThat(report.count(MoveOutcome.NOT_HELD))
            .as("the held ones, and the last push if its loan wasn't over yet")
            .isIn(4, 6);
        assertThat(source.cache.stats().residentChunks())
            .isEqualTo(report.count(MoveOutcome.NOT_HELD));
      }
      assertThat(source.resident(held)).isEqualTo(4);
      assertThat(target.resident(keys)).isEqualTo(60);
    }
  }

  /** The target has some, the next ones are on their way, and the source says nothing. */
  private static void awaitTheMiddle(TestAgent source, TestAgent target)
      throws InterruptedException {
    source.gate.awaitSomebody();
    assertThat(target.cache.stats().residentChunks()).isBetween(11, 59);
  }

  @Test
  void second_whileOneIsUnderWay_isRefused() throws Exception {
    try (TestAgent source =
            TestAgent.named("source").connectTimeout(Duration.ofSeconds(5)).start();
        RawClient silent = RawClient.silentServer()) {
      source.store(TestAgent.keys(1, 60));
      String target = "127.0.0.1:" + silent.port();
      CompletableFuture<MoveReport> first = begin(source, target, null, true);
      assertThat(source.mover.begin(new MoveOrder("b", target, null, true), report -> {}))
          .isFalse();
      assertThat(ended(first).stopped()).contains("can't be reached");
      assertThat(source.moved.get(MoveCount.MOVE_REFUSED)).isEqualTo(1);
      assertThat(source.mover.last()).isPresent();
      assertThat(source.mover.underWay()).isEmpty();
    }
  }

  @Test
  void two_thatMoveToEachOther_bothEnd() throws Exception {
    try (TestAgent one = TestAgent.named("one").pages(256, 4096).getBytes(SMALL_BATCH).start();
        TestAgent other = TestAgent.named("other").pages(256, 4096).getBytes(SMALL_BATCH).start()) {
      one.store(TestAgent.keys(1, 60));
      other.store(TestAgent.keys(1001, 60));
      CompletableFuture<MoveReport> there =
          begin(one, other.address(), TestAgent.keys(1, 60), false);
      CompletableFuture<MoveReport> back =
          begin(other, one.address(), TestAgent.keys(1001, 60), false);
      assertThat(ended(there).outcomes()).isEqualTo(Map.of(MoveOutcome.MOVED, 60));
      assertThat(ended(back).outcomes()).isEqualTo(Map.of(MoveOutcome.MOVED, 60));
      assertThat(other.resident(TestAgent.keys(1, 60))).isEqualTo(60);
      assertThat(one.resident(TestAgent.keys(1001, 60))).isEqualTo(60);
      requireSettled(one, other);
    }
  }

  @Test
  void target_thatDiesInMidMove_hasWhatItGaveAReceiptForAndTheRestIsHere() throws Exception {
    try (TestAgent source = source()) {
      TestAgent target = target();
      List<ChunkKey> keys = TestAgent.keys(1, 60);
      source.store(keys);
      source.gate.closeWhen(() -> target.cache.stats().residentChunks() > 10);
      CompletableFuture<MoveReport> move = begin(source, target.address(), null, false);
      awaitTheMiddle(source, target);

      target.closeDoors();
      source.gate.open();
      MoveReport report = ended(move);

      assertThat(report.count(MoveOutcome.MOVED)).isBetween(10, 59);
      requireNoneIsNowhere(source, target, keys);
      assertThat(source.cache.stats().residentChunks())
          .isEqualTo(60 - report.count(MoveOutcome.MOVED));
      source.requireSettled();
      target.unmap();
    }
  }

  @Test
  void source_thatDiesInMidMove_leavesItsChunksThereOrHereAndTheHoldEndsByTime() throws Exception {
    try (TestAgent target =
        TestAgent.named("target")
            .getBytes(SMALL_BATCH)
            .putDeadline(Duration.ofSeconds(2))
            .hold(Duration.ofMillis(500), 100)
            .start()) {
      TestAgent source = source();
      List<ChunkKey> keys = TestAgent.keys(1, 60);
      source.store(keys);
      target.gate.closeWhen(() -> target.cache.stats().residentChunks() > 10);
      CompletableFuture<MoveReport> move = begin(source, target.address(), null, false);
      target.gate.awaitSomebody();

      source.closeDoors();
      assertThat(ended(move).count(MoveOutcome.MOVED)).isBetween(10, 59);
      target.gate.open();

      target.requireSettled();
      requireNoneIsNowhere(source, target, keys);
      source.unmap();
      target.store(TestAgent.keys(2000, 64));
      assertThat(target.resident(TestAgent.keys(2000, 64))).isEqualTo(64);
    }
  }

  @Test
  void target_thatChurns_neverLeavesAChunkNowhereWhileTheMoveRuns() throws Exception {
    try (TestAgent source = source();
        TestAgent target =
            TestAgent.named("target").pages(48, 4096).getBytes(SMALL_BATCH).start()) {
      List<ChunkKey> keys = TestAgent.keys(1, 60);
      source.store(keys);
      AtomicBoolean stop = new AtomicBoolean();
      int nowhere = 0;
      CompletableFuture<MoveReport> move = begin(source, target.address(), null, false);
      Thread churn = Thread.ofPlatform().start(() -> churn(target, stop));
      Random random = new Random(3);
      int looked = 0;
      while (source.mover.underWay().isPresent()) {
        ChunkKey key = keys.get(random.nextInt(keys.size()));
        // First here, then there: that is the way it goes.
        boolean missing = !source.cache.exists(key) && !target.cache.exists(key);
        if (missing && source.mover.underWay().isPresent()) {
          nowhere++;
        }
        looked++;
      }
      stop.set(true);
      churn.join();
      MoveReport report = ended(move);
      assertThat(nowhere).as("of %d looks, %s", looked, report.outcomes()).isZero();
      assertThat(report.count(MoveOutcome.MOVED)).isPositive();
      requireSettled(source, target);
    }
  }

  private static void churn(TestAgent agent, AtomicBoolean stop) {
    for (long from = 100_000; !stop.get(); from += 4) {
      agent.store(TestAgent.keys(from, 4));
    }
  }

  @Test
  void moves_ofEverySort_endAsReportedAndLeakNothing() throws Exception {
    long seed = 20_261_202;
    Random random = new Random(seed);
    Duration brief = Duration.ofMillis(200);
    try (TestAgent one = briefly(brief).pages(48, 4096).getBytes(3 * 4096).start();
        TestAgent other = briefly(brief).pages(24, 4096).getBytes(5 * 4096).start()) {
      for (int round = 0; round < 24; round++) {
        boolean back = random.nextBoolean();
        TestAgent from = back ? other : one;
        TestAgent to = back ? one : other;
        from.store(some(random));
        to.store(some(random));
        List<ChunkKey> keys = random.nextInt(3) == 0 ? null : some(random);
        boolean copy = random.nextBoolean();
        List<ChunkKey> before = TestAgent.keys(0, 80).stream().filter(from.cache::exists).toList();
        MoveReport report;
        try (ChunkLease here = from.cache.leasePrefix(some(random));
            ChunkLease there = to.cache.leasePrefix(some(random))) {
          assertThat(here.isClosed() || there.isClosed()).isFalse();
          report = move(from, to, keys, copy);
        }
        String what = "seed %d, round %d: %s".formatted(seed, round, report);
        assertThat(report.stopped() == null || report.stopped().contains("no room"))
            .as(what)
            .isTrue();
        assertThat(report.count(MoveOutcome.UNREAD)).as(what).isZero();
        for (ChunkKey key : before) {
          assertThat(from.cache.exists(key) || to.cache.exists(key))
              .as("%s in %s", key, what)
              .isTrue();
        }
        int gone = (int) before.stream().filter(key -> !from.cache.exists(key)).count();
        assertThat(gone).as(what).isEqualTo(report.count(MoveOutcome.MOVED));
        requireSettled(one, other);
        assertThat(to.resident(some(random))).isNotNegative();
      }
    }
  }

  private static List<ChunkKey> some(Random random) {
    List<ChunkKey> keys = new ArrayList<>(TestAgent.keys(0, 80));
    Collections.shuffle(keys, random);
    return keys.subList(0, 1 + random.nextInt(20));
  }
}
