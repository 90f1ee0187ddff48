package io.kvmesh.agent.drain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.directory.DrainAdvice;
import io.kvmesh.agent.directory.DrainAdvisor;
import io.kvmesh.agent.transfer.MoveCount;
import io.kvmesh.agent.transfer.MoveOrder;
import io.kvmesh.agent.transfer.ServerCount;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.process.LoopbackPorts;
import io.kvmesh.common.wire.control.MoveOutcome;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an agent that is going hands over, to whom, and for how long. */
@Timeout(120)
class DrainerTest {

  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int SMALL_BATCH = 2 * 4096;

  private final Counters<MoveCount> counters = new Counters<>(MoveCount.class);

  private static TestAgent agent(String name, int pages) throws IOException {
    return TestAgent.named(name).pages(pages, 4096).getBytes(SMALL_BATCH).start();
  }

  private Drainer drainer(TestAgent agent, DrainAdvisor advisor) {
    return new Drainer(agent.cache, agent.mover, advisor, agent.server, counters, System::nanoTime);
  }

  /** Says these targets, and that nobody else has anything. */
  private static DrainAdvisor to(String... targets) {
    return (keyspace, hashes, atMost) -> new DrainAdvice.Told(List.of(targets), List.of());
  }

  private DrainReport drain(TestAgent from, DrainAdvisor advisor, Duration atMost) {
    DrainReport report = drainer(from, advisor).drain("d", atMost).orElseThrow();
    assertThat(report.outcomes().values().stream().mapToInt(it -> it).sum())
        .as("every chunk has one outcome: %s", report)
        .isEqualTo(report.chunks());
    return report;
  }

  @Test
  void drain_handsAllOver_andKeepsItHere() throws Exception {
    try (TestAgent going = agent("going", 64);
        TestAgent stays = agent("stays", 64)) {
      List<ChunkKey> keys = TestAgent.keys(1, 40);
      going.store(keys);
      stays.store(keys.subList(0, 3));

      DrainReport report = drain(going, to(stays.address()), LONG);

      assertThat(report.outcomes())
          .isEqualTo(Map.of(MoveOutcome.COPIED, 37, MoveOutcome.RESIDENT, 3));
      assertThat(report.stopped()).isNull();
      assertThat(report.targets()).containsExactly(stays.address());
      assertThat(stays.resident(keys)).isEqualTo(40);
      assertThat(going.resident(keys)).isEqualTo(40);
      assertThat(counters.get(MoveCount.CHUNK_COPIED)).isEqualTo(37);
      assertThat(counters.get(MoveCount.MOVE)).isEqualTo(1);
      going.requireSettled();
      stays.requireSettled();
    }
  }

  @Test
  void whatOthersHave_staysWhereItIs() throws Exception {
    try (TestAgent going = agent("going", 64);
        TestAgent stays = agent("stays", 64)) {
      going.store(TestAgent.keys(1, 10));
      DrainAdvisor half =
          (keyspace, hashes, atMost) ->
              new DrainAdvice.Told(List.of(stays.address()), List.of(0, 1, 2, 3, 4, 99, -1));

      DrainReport report = drain(going, half, LONG);

      assertThat(report.outcomes())
          .isEqualTo(Map.of(MoveOutcome.ELSEWHERE, 5, MoveOutcome.COPIED, 5));
      // The hottest come first, so the first five are the latest that were stored.
      assertThat(stays.resident(TestAgent.keys(1, 5))).isEqualTo(5);
      assertThat(stays.cache.stats().residentChunks()).isEqualTo(5);
    }
  }

  @Test
  void fullTarget_putsOutNoMoreThanItsShare_andTheHottestAreTaken() throws Exception {
    try (TestAgent going = agent("going", 64);
        TestAgent full =
            TestAgent.named("full")
                .pages(40, 4096)
                .getBytes(SMALL_BATCH)
                .maxDisplaced(25)
                .start()) {
      full.store(TestAgent.keys(1000, 36));
      going.store(TestAgent.keys(1, 40));

      DrainReport report = drain(going, to(full.address()), LONG);

      assertThat(report.count(MoveOutcome.COPIED)).as("4 are free, 10 give way").isEqualTo(14);
      assertThat(report.count(MoveOutcome.NO_SPACE) + report.count(MoveOutcome.UNTRIED))
          .isEqualTo(26);
      assertThat(report.stopped()).isEqualTo("the target has no room");
      assertThat(full.resident(TestAgent.keys(27, 14))).as("the hottest").isEqualTo(14);
      assertThat(full.resident(TestAgent.keys(1010, 26))).as("its own hottest").isEqualTo(26);
      assertThat(full.served.get(ServerCount.CHUNK_DISPLACED)).isEqualTo(10);
      full.requireSettled();

      DrainReport again = drain(going, to(full.address()), LONG);
      assertThat(again.count(MoveOutcome.COPIED)).as("another drain").isEqualTo(10);
    }
  }

  @Test
  void whatOneHasNoRoomFor_goesToTheNext() throws Exception {
    try (TestAgent going = agent("going", 64);
        TestAgent small =
            TestAgent.named("small").pages(8, 4096).getBytes(SMALL_BATCH).maxDisplaced(0).start();
        TestAgent large = agent("large", 64)) {
      List<ChunkKey> keys = TestAgent.keys(1, 40);
      going.store(keys);

      DrainReport report =
          drain(
              going,
              to("127.0.0.1:" + LoopbackPorts.free(), small.address(), large.address()),
              LONG);

      assertThat(report.outcomes()).isEqualTo(Map.of(MoveOutcome.COPIED, 40));
      assertThat(report.targets()).containsExactly(small.address(), large.address());
      assertThat(large.resident(TestAgent.keys(1, 32))).isEqualTo(32);
      assertThat(report.tokens()).isEqualTo(40L * TestAgent.TOKENS);
    }
  }

  @Test
  void withoutAnybody_itIsOverAtOnce() throws Exception {
    try (TestAgent going = agent("going", 16)) {
      going.store(TestAgent.keys(1, 4));

      assertThat(drain(going, to(), LONG).stopped())
          .isEqualTo("there is no worker that could take them");
      DrainAdvisor silent = (keyspace, hashes, atMost) -> new DrainAdvice.None("silent");
      DrainReport report = drain(going, silent, LONG);

      assertThat(report.stopped()).isEqualTo("nobody says who could take them: silent");
      assertThat(report.outcomes()).isEqualTo(Map.of(MoveOutcome.UNTRIED, 4));
      assertThat(report.left()).hasSize(4);
      assertThat(counters.get(MoveCount.MOVE_STOPPED)).isEqualTo(2);
      going.requireSettled();
    }
  }

  @Test
  void twoThatGo_takeNothingFromEachOther() throws Exception {
    try (TestAgent one = agent("one", 64);
        TestAgent other = agent("other", 64)) {
      one.store(TestAgent.keys(1, 20));
      other.server.takesDrains(false);

      DrainReport report = drain(one, to(other.address()), LONG);

      assertThat(report.count(MoveOutcome.REFUSED)).isPositive();
      assertThat(report.stopped()).isEqualTo("the target has no room");
      assertThat(other.cache.stats().residentChunks()).isZero();
    }
  }

  @Test
  void timeThatIsOverInTheMiddle_endsIt_andWhatWasHandedOverIsThere() throws Exception {
    try (TestAgent going = agent("going", 64);
        TestAgent stays = agent("stays", 64)) {
      List<ChunkKey> keys = TestAgent.keys(1, 60);
      going.store(keys);
      CountDownLatch never = new CountDownLatch(1);
      String silent = "127.0.0.1:" + LoopbackPorts.free();
      DrainAdvisor slow =
          (keyspace, hashes, atMost) -> {
            assertThat(never.await(atMost.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
            return new DrainAdvice.Told(List.of(silent, stays.address()), List.of());
          };
      long start = System.nanoTime();

      DrainReport report = drain(going, slow, Duration.ofMillis(300));

      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
      assertThat(report.stopped()).isEqualTo("the time is over");
      assertThat(going.resident(keys)).as("nothing is lost here").isEqualTo(60);
      assertThat(stays.cache.stats().residentChunks()).isEqualTo(report.count(MoveOutcome.COPIED));
      going.requireSettled();
      stays.requireSettled();
    }
  }

  @Test
  void targetThatDies_hasWhatItGaveAReceiptFor_andTheNextGetsTheRest() throws Exception {
    try (TestAgent going = agent("going", 64);
        TestAgent next = agent("next", 64)) {
      TestAgent dying = agent("dying", 64);
      List<ChunkKey> keys = TestAgent.keys(1, 60);
      going.store(keys);
      CompletableFuture<DrainReport> over = new CompletableFuture<>();
      Drainer drainer = drainer(going, to(dying.address(), next.address()));
      assertThat(drainer.begin("d", LONG, over::complete)).isTrue();
      await().until(() -> dying.cache.stats().residentChunks() > 10);

      dying.closeDoors();
      DrainReport report = over.get(60, TimeUnit.SECONDS);

      assertThat(report.outcomes()).isEqualTo(Map.of(MoveOutcome.COPIED, 60));
      for (ChunkKey key : keys) {
        assertThat(dying.cache.exists(key) || next.cache.exists(key)).as("%s", key).isTrue();
      }
      going.requireSettled();
      next.requireSettled();
      dying.unmap();
    }
  }

  @Test
  void shutdown_waitsForTheMoveThatIsUnderWay() throws Exception {
    try (TestAgent going = agent("going", 64);
        TestAgent stays = agent("stays", 64)) {
      List<ChunkKey> keys = TestAgent.keys(1, 40);
      going.store(keys);
      assertThat(
              going.mover.begin(
                  new MoveOrder("m", stays.address(), keys.subList(0, 20), false), report -> {}))
          .isTrue();

      DrainReport report = drain(going, to(stays.address()), LONG);

      assertThat(report.count(MoveOutcome.GONE) + report.count(MoveOutcome.UNTRIED)).isZero();
      assertThat(stays.resident(keys)).isEqualTo(40);
    }
  }
}
