package io.kvmesh.agent.drain;

import static io.kvmesh.agent.drain.Drainers.agent;
import static io.kvmesh.agent.drain.Drainers.to;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.directory.DrainAdvice;
import io.kvmesh.agent.directory.DrainAdvisor;
import io.kvmesh.agent.transfer.MoveCount;
import io.kvmesh.agent.transfer.MoveOrder;
import io.kvmesh.agent.transfer.MoveReport;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.process.LoopbackPorts;
import io.kvmesh.common.wire.control.MoveOutcome;
import io.kvmesh.common.wire.event.DrainState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an agent that is going hands over, to whom, and for how long. */
@Timeout(120)
class DrainerTest {

  private static final Duration LONG = Duration.ofSeconds(60);

  private final Counters<MoveCount> counters = new Counters<>(MoveCount.class);

  private Drainer drainer(TestAgent agent, DrainAdvisor advisor) {
    return Drainers.of(agent, advisor, counters);
  }

  private MoveReport drain(TestAgent from, DrainAdvisor advisor, Duration atMost) {
    MoveReport report = drainer(from, advisor).drain("d", atMost).orElseThrow();
    assertThat(report.outcomes().values().stream().mapToInt(it -> it).sum())
        .as("every chunk has one outcome: %s", report)
        .isEqualTo(report.chunks());
    return report;
  }

  /** Answers when it is let. */
  private static final class HeldAdvisor implements DrainAdvisor {
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch answer = new CountDownLatch(1);
    private final DrainAdvice advice;

    HeldAdvisor(DrainAdvice advice) {
      this.advice = advice;
    }

    @Override
    public DrainAdvice drain(Keyspace keyspace, List<ChunkHash> hashes, Duration atMost)
        throws InterruptedException {
      asked.countDown();
      answer.await();
      return advice;
    }
  }

  @Test
  void drain_handsAllOver_andKeepsItHere() throws Exception {
    try (TestAgent going = agent("going", 64);
        TestAgent stays = agent("stays", 64)) {
      List<ChunkKey> keys = TestAgent.keys(1, 40);
      going.store(keys);
      stays.store(keys.subList(0, 3));

      MoveReport report = drain(going, to(stays.address()), LONG);

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

      MoveReport report = drain(going, half, LONG);

      assertThat(report.outcomes())
          .isEqualTo(Map.of(MoveOutcome.ELSEWHERE, 5, MoveOutcome.COPIED, 5));
      // The hottest come first, so the first five are the latest that were stored.
      assertThat(stays.resident(TestAgent.keys(1, 5))).isEqualTo(5);
      assertThat(stays.cache.stats().residentChunks()).isEqualTo(5);
    }
  }

  @Test
  void withoutAnybody_itIsOverAtOnce() throws Exception {
    try (TestAgent going = agent("going", 16)) {
      going.store(TestAgent.keys(1, 4));

      assertThat(drain(going, to(), LONG).stopped())
          .isEqualTo("there is no worker that could take them");
      DrainAdvisor silent = (keyspace, hashes, atMost) -> new DrainAdvice.None("silent");
      MoveReport report = drain(going, silent, LONG);

      assertThat(report.stopped()).isEqualTo("nobody says who could take them: silent");
      assertThat(report.outcomes()).isEqualTo(Map.of(MoveOutcome.UNTRIED, 4));
      assertThat(report.left()).hasSize(4);
      assertThat(counters.get(MoveCount.MOVE_STOPPED)).isEqualTo(2);
      going.requireSettled();
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

      MoveReport report = drain(going, slow, Duration.ofMillis(300));

      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
      assertThat(report.stopped()).isEqualTo("the time is over");
      assertThat(going.resident(keys)).as("nothing is lost here").isEqualTo(60);
      assertThat(stays.cache.stats().residentChunks()).isEqualTo(report.count(MoveOutcome.COPIED));
      going.requireSettled();
      stays.requireSettled();
    }
  }

  @Test
  void bytes_boundIt_andTheHottestGo() throws Exception {
    try (TestAgent going = agent("going", 64);
        TestAgent stays = agent("stays", 64);
        TestAgent never = agent("never", 64)) {
      going.store(TestAgent.keys(1, 20));
      Drainer drainer = drainer(going, to(stays.address(), never.address()));

      MoveReport report =
          drainer.begin(new DrainOrder("d", null, LONG, 5 * 4096 + 1)).orElseThrow().get();

      assertThat(report.outcomes())
          .isEqualTo(Map.of(MoveOutcome.COPIED, 5, MoveOutcome.UNTRIED, 15));
      assertThat(report.bytes()).isEqualTo(5 * 4096);
      assertThat(report.stopped()).isEqualTo("as many bytes as were allowed are there");
      assertThat(stays.resident(TestAgent.keys(16, 5))).as("the hottest").isEqualTo(5);
      assertThat(report.left()).hasSize(15);
      assertThat(report.leftWhy()).containsOnly(MoveOutcome.UNTRIED);
      assertThat(never.cache.stats().residentChunks()).isZero();
    }
  }

  @Test
  void oneThatHasDrained_servesAndStores_andTakesNothingFromOthers() throws Exception {
    try (TestAgent drained = agent("drained", 64);
        TestAgent stays = agent("stays", 64);
        TestAgent next = agent("next", 64)) {
      drained.store(TestAgent.keys(1, 4));
      drain(drained, to(stays.address()), LONG);
      drained.store(TestAgent.keys(100, 2));
      next.store(TestAgent.keys(200, 8));

      MoveReport refused = drain(next, to(drained.address()), LONG);
      MoveReport again = drain(drained, to(stays.address()), LONG);

      assertThat(refused.count(MoveOutcome.REFUSED)).isPositive();
      assertThat(drained.resident(TestAgent.keys(1, 4))).isEqualTo(4);
      assertThat(again.outcomes())
          .as("what was stored since, too")
          .isEqualTo(Map.of(MoveOutcome.COPIED, 2, MoveOutcome.RESIDENT, 4));
    }
  }

  @Test
  void drainThatIsUnderWay_letsNoOtherBegin_andShutdownWaitsForIt() throws Exception {
    try (TestAgent going = agent("going", 64);
        TestAgent stays = agent("stays", 64)) {
      going.store(TestAgent.keys(1, 4));
      HeldAdvisor slow = new HeldAdvisor(new DrainAdvice.Told(List.of(stays.address()), List.of()));
      Drainer drainer = drainer(going, slow);
      CompletableFuture<MoveReport> first =
          drainer.begin(DrainOrder.ofAll("first", LONG)).orElseThrow();
      slow.asked.await();

      assertThat(drainer.begin(DrainOrder.ofAll("second", LONG))).isEmpty();
      assertThat(drainer.drain("short", Duration.ofMillis(50))).isEmpty();
      assertThat(drainer.underWay().orElseThrow().chunks()).isEqualTo(4);
      CompletableFuture<Optional<MoveReport>> shutdown =
          CompletableFuture.supplyAsync(() -> drainer.drain("shutdown", LONG));
      slow.answer.countDown();

      assertThat(first.get().count(MoveOutcome.COPIED)).isEqualTo(4);
      assertThat(shutdown.get().orElseThrow().count(MoveOutcome.RESIDENT)).isEqualTo(4);
    }
  }

  @Test
  void cancelled_itEnds_andThisOneTakesFromOthersAgain() throws Exception {
    try (TestAgent going = agent("going", 64);
        TestAgent other = agent("other", 64)) {
      going.store(TestAgent.keys(1, 4));
      HeldAdvisor hanging = new HeldAdvisor(new DrainAdvice.None("never"));
      Drainer drainer = drainer(going, hanging);
      CompletableFuture<MoveReport> over = drainer.begin(DrainOrder.ofAll("d", LONG)).orElseThrow();
      hanging.asked.await();

      assertThat(drainer.cancel("another")).isEmpty();
      assertThat(drainer.cancel("d")).isPresent();

      MoveReport report = over.get(60, TimeUnit.SECONDS);
      assertThat(report.stopped()).isEqualTo("it was cancelled");
      assertThat(report.outcomes()).isEqualTo(Map.of(MoveOutcome.UNTRIED, 4));
      assertThat(drainer.find("d")).contains(report);
      other.store(TestAgent.keys(50, 3));
      assertThat(drain(other, to(going.address()), LONG).count(MoveOutcome.COPIED)).isEqualTo(3);
    }
  }

  @Test
  void undrained_itTakesFromOthersAgain_andSaysThatItStays() throws Exception {
    try (TestAgent stays = agent("stays", 64);
        TestAgent other = agent("other", 64)) {
      stays.store(TestAgent.keys(1, 4));
      other.store(TestAgent.keys(50, 3));
      Drainer drainer = drainer(stays, to(other.address()));
      drainer.begin(DrainOrder.ofAll("first", LONG)).orElseThrow().get();
      assertThat(drainer.state()).isEqualTo(DrainState.DRAINED);
      assertThat(drain(other, to(stays.address()), LONG).count(MoveOutcome.REFUSED)).isPositive();

      MoveReport nothing = drainer.undrain().orElseThrow().join();

      assertThat(nothing.chunks()).as("no drain was under way").isZero();
      assertThat(nothing.sequence()).isEqualTo(stays.cache.position().sequence());
      assertThat(drainer.state()).isNull();
      assertThat(stays.server.takesDrains()).isTrue();
      assertThat(drain(other, to(stays.address()), LONG).outcomes())
          .as("what it handed over lies at both")
          .isEqualTo(Map.of(MoveOutcome.COPIED, 3, MoveOutcome.RESIDENT, 4));
    }
  }

  @Test
  void undrainedInTheMiddle_drainEnds_andTellsHowFarItCame() throws Exception {
    try (TestAgent going = agent("going", 64);
        TestAgent stays = agent("stays", 64)) {
      List<ChunkKey> keys = TestAgent.keys(1, 40);
      going.store(keys);
      String silent = "127.0.0.1:" + LoopbackPorts.free();
      CountDownLatch half = new CountDownLatch(1);
      DrainAdvisor advisor =
          (keyspace, hashes, atMost) -> {
            half.countDown();
            return new DrainAdvice.Told(
                List.of(silent, stays.address()), List.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
          };
      Drainer drainer = drainer(going, advisor);
      CompletableFuture<MoveReport> over = drainer.begin(DrainOrder.ofAll("d", LONG)).orElseThrow();
      half.await();

      MoveReport report = drainer.undrain().orElseThrow().get(60, TimeUnit.SECONDS);

      assertThat(over.get()).isEqualTo(report);
      assertThat(report.id()).isEqualTo("d");
      assertThat(report.stopped()).isEqualTo("it was cancelled");
      assertThat(report.done()).as("each chunk is accounted for").isEqualTo(40);
      assertThat(drainer.state()).isNull();
      assertThat(going.resident(keys)).isEqualTo(40);
      assertThat(drainer.undrain().orElseThrow().join().chunks()).as("once more").isZero();
      MoveReport again =
          drainer
              .begin(new DrainOrder("e", stays.address(), LONG, Long.MAX_VALUE))
              .orElseThrow()
              .get(60, TimeUnit.SECONDS);
      assertThat(again.outcomes())
          .isEqualTo(Map.of(MoveOutcome.ELSEWHERE, 10, MoveOutcome.COPIED, 30));
      assertThat(drainer.state()).isEqualTo(DrainState.DRAINED);
      going.requireSettled();
      stays.requireSettled();
    }
  }

  @Test
  void agentThatIsEnding_cantBeToldToStay() throws Exception {
    try (TestAgent going = agent("going", 16);
        TestAgent stays = agent("stays", 64)) {
      going.store(TestAgent.keys(1, 4));
      HeldAdvisor slow = new HeldAdvisor(new DrainAdvice.Told(List.of(stays.address()), List.of()));
      Drainer drainer = drainer(going, slow);
      CompletableFuture<Optional<MoveReport>> shutdown =
          CompletableFuture.supplyAsync(() -> drainer.drain("shutdown", LONG));
      slow.asked.await();

      assertThat(drainer.undrain()).isEmpty();
      slow.answer.countDown();

      assertThat(shutdown.get().orElseThrow().count(MoveOutcome.COPIED)).isEqualTo(4);
      assertThat(drainer.state()).isEqualTo(DrainState.DRAINED);
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

      MoveReport report = drain(going, to(stays.address()), LONG);

      assertThat(report.count(MoveOutcome.GONE) + report.count(MoveOutcome.UNTRIED)).isZero();
      assertThat(stays.resident(keys)).isEqualTo(40);
    }
  }
}
