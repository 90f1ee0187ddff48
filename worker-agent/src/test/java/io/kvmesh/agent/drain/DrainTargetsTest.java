package io.kvmesh.agent.drain;

import static io.kvmesh.agent.drain.Drainers.SMALL_BATCH;
import static io.kvmesh.agent.drain.Drainers.agent;
import static io.kvmesh.agent.drain.Drainers.to;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.BodyRule;
import io.kvmesh.agent.cache.CacheOptions;
import io.kvmesh.agent.cache.Keeping;
import io.kvmesh.agent.directory.DrainAdvisor;
import io.kvmesh.agent.transfer.MoveCount;
import io.kvmesh.agent.transfer.MoveReport;
import io.kvmesh.agent.transfer.ServerCount;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.process.LoopbackPorts;
import io.kvmesh.common.wire.control.MoveOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Those that take what is handed over: full ones, ones that die, ones that go themselves. */
@Timeout(120)
class DrainTargetsTest {

  private static final Duration LONG = Duration.ofSeconds(60);

  /** Chunks whose drain has a middle. */
  private static final int MANY = 60;

  private static final CacheOptions ONLY_WHOLE =
      new CacheOptions(
          Keeping.HOT,
          new BodyRule(null, TestAgent.TOKENS, false, null),
          0,
          CacheOptions.DEFAULT.pins());

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

      MoveReport report = drain(going, to(full.address()), LONG);

      assertThat(report.count(MoveOutcome.COPIED)).as("4 are free, 10 give way").isEqualTo(14);
      assertThat(report.count(MoveOutcome.NO_SPACE) + report.count(MoveOutcome.UNTRIED))
          .isEqualTo(26);
      assertThat(report.stopped()).isEqualTo("the target has no room");
      assertThat(full.resident(TestAgent.keys(27, 14))).as("the hottest").isEqualTo(14);
      assertThat(full.resident(TestAgent.keys(1010, 26))).as("its own hottest").isEqualTo(26);
      assertThat(full.served.get(ServerCount.CHUNK_DISPLACED)).isEqualTo(10);
      full.requireSettled();

      MoveReport again = drain(going, to(full.address()), LONG);
      assertThat(again.count(MoveOutcome.COPIED)).as("another drain").isEqualTo(10);
    }
  }

  @Test
  void whatOneHasNoRoomFor_goesToTheNext() throws Exception {
    try (TestAgent going =
            TestAgent.named("going")
                .getBytes(SMALL_BATCH)
                .connectTimeout(Duration.ofSeconds(5))
                .start();
        TestAgent small =
            TestAgent.named("small").pages(8, 4096).getBytes(SMALL_BATCH).maxDisplaced(0).start();
        TestAgent large = agent("large", 64)) {
      List<ChunkKey> keys = TestAgent.keys(1, 40);
      going.store(keys);

      MoveReport report =
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
  void twoThatGo_takeNothingFromEachOther() throws Exception {
    try (TestAgent one = agent("one", 64);
        TestAgent other = agent("other", 64)) {
      one.store(TestAgent.keys(1, 20));
      other.server.takesDrains(false);

      MoveReport report = drain(one, to(other.address()), LONG);

      assertThat(report.count(MoveOutcome.REFUSED)).isPositive();
      assertThat(report.stopped())
          .isEqualTo("the target takes none: it is drained itself, or keeps no chunks");
      assertThat(other.cache.stats().residentChunks()).isZero();
    }
  }

  @Test
  void namedTargetThatIsNotThere_isSaidToBeUnreachable() throws Exception {
    try (TestAgent going =
        TestAgent.named("going").connectTimeout(Duration.ofMillis(200)).start()) {
      going.store(TestAgent.keys(1, 4));
      String nobody = "127.0.0.1:" + LoopbackPorts.free();
      DrainOrder order = new DrainOrder("d", nobody, LONG, Long.MAX_VALUE);

      MoveReport report = drainer(going, Drainers.NOBODY).begin(order).orElseThrow().get();

      assertThat(report.done()).isEqualTo(4);
      assertThat(report.left()).hasSize(4);
      assertThat(report.stopped()).startsWith("the target can't be reached");
    }
  }

  @Test
  void chunkThatTheTargetTakesInNoCase_doesNotEndTheDrain() throws Exception {
    try (TestAgent going = agent("going", 64);
        TestAgent whole = TestAgent.named("whole").options(ONLY_WHOLE).start()) {
      going.store(TestAgent.keys(1, 4));
      going.store(TestAgent.keys(5, 1).getFirst(), 2048, TestAgent.TOKENS / 2);

      MoveReport report = drain(going, to(whole.address()), LONG);

      assertThat(report.outcomes())
          .isEqualTo(Map.of(MoveOutcome.COPIED, 4, MoveOutcome.REFUSED, 1));
      assertThat(report.stopped()).isEqualTo("nobody keeps the rest");
    }
  }

  @Test
  void targetThatDies_isNotReliedOn_andTheNextGetsAll() throws Exception {
    try (TestAgent going = agent("going", MANY);
        TestAgent next = agent("next", MANY)) {
      TestAgent dying = agent("dying", MANY);
      List<ChunkKey> keys = TestAgent.keys(1, MANY);
      going.store(keys);
      Drainer drainer = drainer(going, to(dying.address(), next.address()));
      CompletableFuture<MoveReport> over = beginUntilSomeAreAt(dying, drainer, going);

      dying.closeDoors();
      going.gate.open();
      MoveReport report = over.get(60, TimeUnit.SECONDS);

      assertThat(report.outcomes()).isEqualTo(Map.of(MoveOutcome.COPIED, MANY));
      assertThat(report.targets()).containsExactly(next.address());
      assertThat(report.bytes()).isEqualTo(MANY * 4096L);
      assertThat(next.resident(keys)).isEqualTo(MANY);
      going.requireSettled();
      next.requireSettled();
      dying.unmap();
    }
  }

  @Test
  void onlyTargetThatDies_hasNothingForCertain() throws Exception {
    try (TestAgent going = agent("going", MANY)) {
      TestAgent dying = agent("dying", MANY);
      going.store(TestAgent.keys(1, MANY));
      Drainer drainer = drainer(going, to(dying.address()));
      CompletableFuture<MoveReport> over = beginUntilSomeAreAt(dying, drainer, going);

      dying.closeDoors();
      going.gate.open();
      MoveReport report = over.get(60, TimeUnit.SECONDS);

      assertThat(report.done()).isEqualTo(MANY);
      assertThat(report.count(MoveOutcome.COPIED)).isZero();
      assertThat(report.count(MoveOutcome.UNCONFIRMED)).isGreaterThan(10);
      assertThat(report.bytes() + report.tokens()).isZero();
      assertThat(report.targets()).isEmpty();
      assertThat(report.left().getFirst())
          .as("hottest first")
          .isEqualTo(TestAgent.keys(MANY, 1).getFirst());
      going.requireSettled();
      dying.unmap();
    }
  }

  @Test
  void targetThatIsStartedAnew_isNotReliedOnForWhatItHadBefore() throws Exception {
    try (TestAgent going = agent("going", MANY);
        TestAgent anew = agent("anew", MANY);
        TestAgent next = agent("next", MANY)) {
      List<ChunkKey> keys = TestAgent.keys(1, MANY);
      going.store(keys);
      Drainer drainer = drainer(going, to(anew.address(), next.address()));
      CompletableFuture<MoveReport> over = beginUntilSomeAreAt(anew, drainer, going);

      anew.epoch.set(101);
      going.gate.open();
      MoveReport report = over.get(60, TimeUnit.SECONDS);

      assertThat(report.count(MoveOutcome.COPIED) + report.count(MoveOutcome.RESIDENT))
          .as("the push that was in flight may come twice: %s", report)
          .isEqualTo(MANY);
      assertThat(report.targets()).containsExactlyInAnyOrder(anew.address(), next.address());
      assertThat(next.resident(TestAgent.keys(MANY - 4, 5))).as("what came first").isEqualTo(5);
    }
  }

  @Test
  void targetThatIsNamed_isTheOnlyOne_alsoIfNoControllerAnswers() throws Exception {
    try (TestAgent going = agent("going", 64);
        TestAgent named = agent("named", 64);
        TestAgent other = agent("other", 64)) {
      going.store(TestAgent.keys(1, 4));
      DrainOrder order = new DrainOrder("d", named.address(), LONG, Long.MAX_VALUE);

      MoveReport first = drainer(going, to(other.address())).begin(order).orElseThrow().get();
      MoveReport second = drainer(going, Drainers.NOBODY).begin(order).orElseThrow().get();

      assertThat(first.outcomes()).isEqualTo(Map.of(MoveOutcome.COPIED, 4));
      assertThat(first.targets()).containsExactly(named.address());
      assertThat(second.outcomes()).isEqualTo(Map.of(MoveOutcome.RESIDENT, 4));
      assertThat(second.stopped()).isNull();
      assertThat(other.cache.stats().residentChunks()).isZero();
    }
  }

  /** The one that is going says nothing more then, until its gate is opened. */
  private static CompletableFuture<MoveReport> beginUntilSomeAreAt(
      TestAgent target, Drainer drainer, TestAgent going) throws InterruptedException {
    going.gate.closeWhen(() -> target.cache.stats().residentChunks() > 10);
    CompletableFuture<MoveReport> over = drainer.begin(DrainOrder.ofAll("d", LONG)).orElseThrow();
    going.gate.awaitSomebody();
    return over;
  }
}
