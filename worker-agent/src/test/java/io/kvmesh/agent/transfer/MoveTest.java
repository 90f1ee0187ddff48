package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.PinOwner;
import io.kvmesh.agent.cache.RemovalCause;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.control.MoveOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a move or a copy takes, and what stays. */
@Timeout(120)
class MoveTest extends MoveFixture {

  @Test
  void move_ofAll_leavesNothingHereAndAllThere() throws Exception {
    try (TestAgent source = source();
        TestAgent target = target()) {
      List<ChunkKey> keys = TestAgent.keys(1, 40);
      source.store(keys);

      MoveReport report = move(source, target, null, false);

      assertThat(report.outcomes()).isEqualTo(Map.of(MoveOutcome.MOVED, 40));
      assertThat(report.tokens()).isEqualTo(40L * TestAgent.TOKENS);
      assertThat(report.stopped()).isNull();
      assertThat(source.cache.stats().residentChunks()).isZero();
      assertThat(source.cache.stats().removed().get(RemovalCause.MOVED)).isEqualTo(40);
      assertThat(target.resident(keys)).isEqualTo(40);
      assertThat(source.moved.get(MoveCount.CHUNK_MOVED)).isEqualTo(40);
      requireSettled(source, target);
      target.awaitServed(ServerCount.HOLD_DONE, 1);
    }
  }

  @Test
  void copy_ofAll_leavesAllHere() throws Exception {
    try (TestAgent source = source();
        TestAgent target = target()) {
      List<ChunkKey> keys = TestAgent.keys(1, 7);
      source.store(keys);
      target.store(keys.subList(2, 4));

      assertThat(move(source, target, null, true).outcomes())
          .isEqualTo(Map.of(MoveOutcome.COPIED, 5, MoveOutcome.RESIDENT, 2));

      assertThat(source.resident(keys)).isEqualTo(7);
      assertThat(target.resident(keys)).isEqualTo(7);
      requireSettled(source, target);
    }
  }

  @Test
  void move_ofKeys_takesTheseAloneAndTellsOfThoseThatAreNotHere() throws Exception {
    try (TestAgent source = source();
        TestAgent target = target()) {
      source.store(TestAgent.keys(1, 6));
      target.store(TestAgent.keys(5, 1));

      MoveReport report = move(source, target, TestAgent.keys(4, 5), false);

      assertThat(report.outcomes()).isEqualTo(Map.of(MoveOutcome.MOVED, 3, MoveOutcome.GONE, 2));
      assertThat(report.left()).isEqualTo(TestAgent.keys(7, 2));
      assertThat(source.cache.stats().residentChunks()).isEqualTo(3);
      assertThat(target.resident(TestAgent.keys(4, 3))).isEqualTo(3);
      requireSettled(source, target);
    }
  }

  @Test
  void move_ofPartsOfChunks_takesThemToo() throws Exception {
    try (TestAgent source = TestAgent.named("source").start();
        TestAgent target = target()) {
      List<ChunkKey> keys = TestAgent.keys(1, 5);
      source.store(keys);
      source.store(TestAgent.keys(6, 1).getFirst(), 700, 3);
      source.store(TestAgent.keys(7, 1).getFirst(), 100, 1);
      source.store(TestAgent.keys(8, 2));

      assertThat(move(source, target, null, false).outcomes())
          .isEqualTo(Map.of(MoveOutcome.MOVED, 9));

      assertThat(target.resident(TestAgent.keys(1, 9))).isEqualTo(9);
      requireSettled(source, target);
    }
  }

  @Test
  void move_intoAFullTarget_evictsNothingThatItBroughtAndKeepsTheRestHere() throws Exception {
    try (TestAgent source = source();
        TestAgent target = TestAgent.named("target").pages(16, 4096).start()) {
      target.store(TestAgent.keys(500, 16));
      List<ChunkKey> keys = TestAgent.keys(1, 40);
      source.store(keys);

      MoveReport report = move(source, target, null, false);

      assertThat(report.count(MoveOutcome.MOVED)).isEqualTo(16);
      assertThat(report.stopped()).contains("no room");
      assertThat(report.left()).hasSize(24);
      assertThat(source.cache.stats().residentChunks()).isEqualTo(24);
      requireNoneIsNowhere(source, target, keys);
      requireSettled(source, target);
    }
  }

  @Test
  void move_intoATargetWhoseMemoryIsYetToGrow_mayHoldItsShareOfAllOfIt() throws Exception {
    try (TestAgent source = source();
        TestAgent target =
            TestAgent.named("target")
                .pages(40, 4096)
                .initialPages(4)
                .hold(Duration.ofSeconds(10), 50)
                .start()) {
      source.store(TestAgent.keys(1, 20));
      assertThat(move(source, target, null, false).outcomes())
          .isEqualTo(Map.of(MoveOutcome.MOVED, 20));
      requireSettled(source, target);
    }
  }

  @Test
  void chunk_thatIsHeldHere_comesToTheTargetAndStaysHere() throws Exception {
    try (TestAgent source = briefly(Duration.ofSeconds(3)).start();
        TestAgent target = target()) {
      List<ChunkKey> keys = TestAgent.keys(1, 10);
      source.store(keys);
      source.cache.pins().pin(new PinOwner("g", "n"), keys.subList(4, 5));
      try (ChunkLease lease = source.cache.leasePrefix(keys.subList(0, 2))) {
        assertThat(lease.size()).isEqualTo(2);
        assertThat(move(source, target, null, false).outcomes())
            .isEqualTo(Map.of(MoveOutcome.MOVED, 7, MoveOutcome.IN_USE, 3));
        assertThat(source.cache.stats().residentChunks()).isEqualTo(3);
      }
      assertThat(target.resident(keys)).isEqualTo(10);
    }
  }

  @Test
  void chunk_whoseHolderEndsInTime_leaves() throws Exception {
    try (TestAgent source = source();
        TestAgent target = target()) {
      source.store(TestAgent.keys(1, 2));
      ChunkLease lease = source.cache.leasePrefix(TestAgent.keys(1, 2));
      CompletableFuture<MoveReport> move = begin(source, target.address(), null, false);
      await().until(() -> target.resident(TestAgent.keys(1, 2)) == 2);
      lease.close();
      assertThat(ended(move).outcomes()).isEqualTo(Map.of(MoveOutcome.MOVED, 2));
      requireSettled(source, target);
    }
  }
}
