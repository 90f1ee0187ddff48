package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.peer.P2PErrorMsg;
import io.kvmesh.common.zmq.Frame;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What one peer fails to deliver comes from the next, within the one deadline. */
@Timeout(240)
class ManyHoldersTest {

  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Duration CONNECT = Duration.ofSeconds(2);
  private static final int CHUNKS = 24;
  private static final int PART = 4;
  private static final List<ChunkKey> KEYS = TestAgent.keys(1, CHUNKS);

  private TestAgent asker;

  @BeforeEach
  void start() throws IOException {
    asker =
        TestAgent.named("asker")
            .connectTimeout(CONNECT)
            .getBytes(PART * FakePeer.PAGE)
            .passOver(Duration.ofMillis(1))
            .start();
  }

  @AfterEach
  void stop() {
    asker.requireSettled();
    asker.close();
  }

  private PullOutcome pull(Duration atMost, PullSource... sources) throws InterruptedException {
    long start = System.nanoTime();
    PullOutcome outcome = asker.pull(List.of(sources), KEYS, atMost);
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .as("time taken")
        .isLessThan(atMost.plusSeconds(15));
    asker.requireSettled();
    assertThat(asker.resident(KEYS)).isEqualTo(outcome.chunks());
    assertThat(asker.cache.stats().residentChunks()).isEqualTo(outcome.chunks());
    return outcome;
  }

  private static PullSource all(FakePeer peer) {
    return new PullSource(peer.address(), CHUNKS);
  }

  private static FakePeer good() throws IOException {
    return FakePeer.that((it, to, get) -> it.give(to, get, get.keys().size()));
  }

  /** Shakes hands, however long that takes, so that the next pull's time is its own. */
  private void warm(FakePeer... peers) {
    for (FakePeer peer : peers) {
      await()
          .atMost(Duration.ofSeconds(40))
          .until(
              () ->
                  asker
                      .pull(peer.address(), FakePeer.NOT_HELD, LONG)
                      .equals(new PullOutcome.Miss()));
    }
  }

  /** With the bad peer first, and with it second, the other makes good for it. */
  private void assertMadeGood(FakePeer.Script bad) throws Exception {
    for (boolean badFirst : new boolean[] {true, false}) {
      try (FakePeer faulty = FakePeer.that(bad);
          FakePeer good = good()) {
        warm(faulty, good);
        PullOutcome outcome =
            badFirst ? pull(LONG, all(faulty), all(good)) : pull(LONG, all(good), all(faulty));
        assertThat(outcome).as("bad one first: %s", badFirst).isEqualTo(new PullOutcome.Hit(24));
        assertThat(faulty.gets.get()).isPositive();
      }
      assertThat(asker.pulled.get(PullCount.MOVED_ON)).isPositive();
      stop();
      start();
    }
  }

  @Test
  void twoGoodOnes_shareThePull() throws Exception {
    try (FakePeer one = good();
        FakePeer two = good()) {
      warm(one, two);
      assertThat(pull(LONG, all(one), all(two))).isEqualTo(new PullOutcome.Hit(24));
      assertThat(one.gets.get()).isPositive();
      assertThat(two.gets.get()).isPositive();
      assertThat(asker.pulled.get(PullCount.CHUNK)).isEqualTo(24);
    }
  }

  @Test
  void more_thanMayBeAskedSideBySide_areASpare() throws Exception {
    List<FakePeer> peers = new ArrayList<>();
    try {
      for (int i = 0; i < 6; i++) {
        peers.add(good());
      }
      warm(peers.toArray(FakePeer[]::new));
      PullSource[] sources = peers.stream().map(ManyHoldersTest::all).toArray(PullSource[]::new);
      assertThat(pull(LONG, sources)).isEqualTo(new PullOutcome.Hit(24));
      assertThat(peers.get(4).gets).hasValue(0);
      assertThat(peers.get(5).gets).hasValue(0);
    } finally {
      peers.forEach(FakePeer::close);
    }
  }

  @Test
  void theSameOneTwice_isHarmless() throws Exception {
    try (FakePeer one = good()) {
      warm(one);
      assertThat(pull(LONG, all(one), all(one))).isEqualTo(new PullOutcome.Hit(24));
    }
  }

  @Test
  void eachIsAskedForNoMoreThanItHolds() throws Exception {
    AtomicInteger beyond = new AtomicInteger();
    try (FakePeer shorter =
            FakePeer.that(
                (it, to, get) -> {
                  if (get.keys().contains(KEYS.get(8).toString())) {
                    beyond.incrementAndGet();
                  }
                  it.give(to, get, get.keys().size());
                });
        FakePeer good = good()) {
      warm(shorter, good);
      assertThat(pull(LONG, all(good), new PullSource(shorter.address(), 8)))
          .isEqualTo(new PullOutcome.Hit(24));
      assertThat(shorter.gets.get()).isPositive();
      assertThat(beyond).hasValue(0);
    }
  }

  @Test
  void oneThatDiesBeforeItAnswers_isMadeGood() throws Exception {
    assertMadeGood((it, to, get) -> it.die());
  }

  @Test
  void oneThatDiesAfterItsFirstAnswer_isMadeGood() throws Exception {
    assertMadeGood(
        (it, to, get) -> {
          if (it.gets.get() == 1) {
            it.give(to, get, get.keys().size());
          } else {
            it.die();
          }
        });
  }

  @Test
  void oneThatDiesRightAfterAnAnswer_isMadeGood() throws Exception {
    for (int i = 0; i < 3; i++) {
      try (FakePeer dying =
              FakePeer.that(
                  (it, to, get) -> {
                    it.give(to, get, get.keys().size());
                    it.die();
                  });
          FakePeer good = good()) {
        warm(dying, good);
        assertThat(pull(LONG, all(dying), all(good))).isEqualTo(new PullOutcome.Hit(24));
      }
      asker.cache.clear();
    }
  }

  @Test
  void oneThatIsNotThere_isMadeGood() throws Exception {
    FakePeer gone = good();
    gone.close();
    try (FakePeer good = good()) {
      warm(good);
      assertThat(pull(LONG, all(gone), all(good))).isEqualTo(new PullOutcome.Hit(24));
    }
  }

  @Test
  void oneThatIsSilentAtItsInitPort_isMadeGoodAfterTheConnectTimeout() throws Exception {
    try (FakePeer silent = FakePeer.thatIsSilentAtItsInitPort();
        FakePeer good = good()) {
      warm(good);
      assertThat(pull(LONG, all(silent), all(good))).isEqualTo(new PullOutcome.Hit(24));
    }
  }

  @Test
  void oneThatIsSilent_costsHalfOfTheTimeAtMost() throws Exception {
    Duration deadline = Duration.ofSeconds(8);
    for (boolean silentFirst : new boolean[] {true, false}) {
      try (FakePeer silent = FakePeer.that((it, to, get) -> {});
          FakePeer good = good()) {
        warm(silent, good);
        PullOutcome outcome =
            silentFirst
                ? pull(deadline, all(silent), all(good))
                : pull(deadline, all(good), all(silent));
        assertThat(outcome).isEqualTo(new PullOutcome.Hit(24));
      }
      asker.cache.clear();
    }
    assertThat(asker.pulled.get(PullCount.SILENT)).isEqualTo(2);
  }

  @Test
  void silentOnesAlone_timeOut() throws Exception {
    Duration deadline = Duration.ofMillis(600);
    try (FakePeer one = FakePeer.that((it, to, get) -> {});
        FakePeer two = FakePeer.that((it, to, get) -> {})) {
      warm(one, two);
      assertThat(pull(deadline, all(one), all(two))).isEqualTo(new PullOutcome.TimedOut(0));
    }
  }

  @Test
  void oneThatAnswersTooLate_touchesNoPage() throws Exception {
    List<Runnable> late = new ArrayList<>();
    try (FakePeer slow =
            FakePeer.that((it, to, get) -> late.add(() -> it.give(to, get, get.keys().size())));
        FakePeer good = good()) {
      warm(slow, good);
      assertThat(pull(Duration.ofSeconds(8), all(slow), all(good)))
          .isEqualTo(new PullOutcome.Hit(24));
      slow.later(() -> late.forEach(Runnable::run));
      await()
          .untilAsserted(
              () -> assertThat(asker.pulled.get(PullCount.FOREIGN_REPLY)).isEqualTo(late.size()));
      assertThat(asker.resident(KEYS)).isEqualTo(24);
    }
  }

  @Test
  void oneThatHasLessThanWasSaid_isMadeGood() throws Exception {
    assertMadeGood((it, to, get) -> it.give(to, get, get.keys().size() / 2));
  }

  @Test
  void oneThatHasNothing_isMadeGood() throws Exception {
    assertMadeGood((it, to, get) -> it.give(to, get, 0));
  }

  @Test
  void oneThatHarmsAChunk_isCountedAndMadeGood() throws Exception {
    assertMadeGood(
        (it, to, get) -> {
          List<Frame> bodies = FakePeer.bodies(get, get.keys().size());
          byte[] harmed = FakePeer.body(get.keys().getLast());
          harmed[77] ^= 4;
          bodies.set(bodies.size() - 1, Frame.of(harmed));
          it.reply(to, FakePeer.right(get, bodies.size()), bodies);
        });
  }

  @Test
  void oneThatIsOverloaded_isMadeGood() throws Exception {
    assertMadeGood((it, to, get) -> it.reply(to, new P2PErrorMsg(4), List.of()));
  }

  @Test
  void oneThatFails_isMadeGood() throws Exception {
    assertMadeGood((it, to, get) -> it.reply(to, new P2PErrorMsg(1), List.of()));
  }

  @Test
  void oneThatWantsHandshakesForEver_isMadeGood() throws Exception {
    assertMadeGood((it, to, get) -> it.reply(to, new P2PErrorMsg(3), List.of()));
  }

  @Test
  void oneThatAnswersNonsense_isMadeGood() throws Exception {
    assertMadeGood((it, to, get) -> it.replyWith(to, new byte[] {(byte) 0xc1, 1, 2}));
  }

  @Test
  void oneThatSendsTooFewFrames_isMadeGood() throws Exception {
    assertMadeGood(
        (it, to, get) ->
            it.reply(
                to,
                FakePeer.right(get, get.keys().size()),
                FakePeer.bodies(get, get.keys().size() - 1)));
  }

  @Test
  void allOverloaded_isOverloaded() throws Exception {
    FakePeer.Script full = (it, to, get) -> it.reply(to, new P2PErrorMsg(4), List.of());
    try (FakePeer one = FakePeer.that(full);
        FakePeer two = FakePeer.that(full)) {
      warm(one, two);
      assertThat(pull(LONG, all(one), all(two))).isEqualTo(new PullOutcome.Overloaded(0));
    }
  }

  @Test
  void theOneThatReachesFarthest_isNotMadeGoodBeyondTheOthers() throws Exception {
    try (FakePeer dying = FakePeer.that((it, to, get) -> it.die());
        FakePeer shorter = good()) {
      warm(dying, shorter);
      PullOutcome outcome = pull(LONG, all(dying), new PullSource(shorter.address(), 8));
      assertThat(outcome).isInstanceOf(PullOutcome.Unavailable.class);
      assertThat(outcome.chunks()).isEqualTo(8);
    }
  }

  @Test
  void aChunkThatNobodyHas_endsThePrefixAndWhatCameBehindItIsDropped() throws Exception {
    String lacking = KEYS.get(10).toString();
    FakePeer.Script gap =
        (it, to, get) -> {
          int at = get.keys().indexOf(lacking);
          it.give(to, get, at < 0 ? get.keys().size() : at);
        };
    try (FakePeer one = FakePeer.that(gap);
        FakePeer two = FakePeer.that(gap)) {
      warm(one, two);
      assertThat(pull(LONG, all(one), all(two))).isEqualTo(new PullOutcome.Hit(10));
    }
  }

  @Test
  void aPageOfAnotherLength_isTakenFromTheOneThatHasTheRightOne() throws Exception {
    try (FakePeer other =
            FakePeer.that(
                (it, to, get) ->
                    it.reply(
                        to,
                        FakePeer.sized(get, FakePeer.PAGE + 1),
                        List.of(Frame.of(new byte[FakePeer.PAGE + 1]))));
        FakePeer good = good()) {
      warm(other, good);
      assertThat(pull(LONG, all(other), all(good))).isEqualTo(new PullOutcome.Hit(24));
      assertThat(asker.pulled.get(PullCount.UNWANTED_CHUNK)).isPositive();
    }
  }

  @Test
  void twoRealOnes_endTheirLoans() throws Exception {
    try (TestAgent one = TestAgent.named("one").start();
        TestAgent two = TestAgent.named("two").start()) {
      List<ChunkKey> others = TestAgent.keys(99, 1);
      assertThat(asker.pull(one.address(), others, LONG)).isEqualTo(new PullOutcome.Miss());
      assertThat(asker.pull(two.address(), others, LONG)).isEqualTo(new PullOutcome.Miss());
      one.store(KEYS);
      two.store(KEYS.subList(0, 15));
      PullOutcome outcome =
          pull(LONG, new PullSource(one.address(), 24), new PullSource(two.address(), 15));
      assertThat(outcome).isEqualTo(new PullOutcome.Hit(24));
      assertThat(one.served.get(ServerCount.CHUNK_SENT)).isBetween(9L, 23L);
      one.requireSettled();
      two.requireSettled();
    }
  }

  @Test
  void peerThatMoved_isFollowedAndItsOldConnectionIsDroppedWhenIdle() throws Exception {
    stop();
    asker = TestAgent.named("asker").idleTimeout(Duration.ofMillis(300)).start();
    TestAgent before = TestAgent.named("one").start();
    before.store(KEYS);
    asker.pull(before.address(), KEYS.subList(0, 10), LONG);
    before.close();
    try (TestAgent after = TestAgent.named("one").start()) {
      after.epoch.set(200);
      after.store(KEYS);

      assertThat(pull(LONG, new PullSource(after.address(), 24)))
          .isEqualTo(new PullOutcome.Hit(24));

      await().until(() -> asker.client.connections() == 0);
      assertThat(asker.pulled.get(PullCount.CHUNK)).isEqualTo(24);
      assertThat(asker.sockets.stats().openSockets()).as("its own two doors").isEqualTo(2);
    }
  }
}
