package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetRetMsg;
import io.kvmesh.common.wire.peer.P2PErrorMsg;
import io.kvmesh.common.zmq.Envelope;
import io.kvmesh.common.zmq.Frame;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever a peer does, the requester waits no longer than it said, and no page is lost. */
@Timeout(180)
class FaultyPeerTest {

  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Duration VERY_LONG = Duration.ofSeconds(40);
  private static final Duration CONNECT = Duration.ofSeconds(2);
  private static final Duration SHORT = Duration.ofMillis(400);

  /** What a slow machine may take beyond a deadline. */
  private static final Duration SLACK = Duration.ofSeconds(15);

  private static final List<ChunkKey> KEYS = TestAgent.keys(1, 4);

  private TestAgent asker;

  @BeforeEach
  void start() throws IOException {
    asker = TestAgent.named("asker").connectTimeout(LONG).start();
  }

  /** One that gives up on a peer sooner, and passes it over for longer. */
  private void useHasty() throws IOException {
    stop();
    asker =
        TestAgent.named("asker").connectTimeout(CONNECT).passOver(Duration.ofSeconds(10)).start();
  }

  @AfterEach
  void stop() {
    asker.requireSettled();
    asker.close();
  }

  private PullOutcome pull(FakePeer peer, Duration atMost) throws InterruptedException {
    long start = System.nanoTime();
    PullOutcome outcome = asker.pull(peer.address(), KEYS, atMost);
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .as("time taken")
        .isLessThan(atMost.plus(SLACK));
    asker.requireSettled();
    assertThat(asker.resident(KEYS)).isEqualTo(outcome.chunks());
    return outcome;
  }

  @Test
  void peer_thatAnswersRightly_isRead() throws Exception {
    try (FakePeer peer = FakePeer.that((it, to, get) -> all(it, to, get))) {
      assertThat(pull(peer, LONG)).isEqualTo(new PullOutcome.Hit(4));
      await().untilAsserted(() -> assertThat(peer.done).containsExactly(1L));
    }
  }

  @Test
  void peer_thatIsNotThere_isUnavailableWithinTheConnectTimeoutAndThenPassedOver()
      throws Exception {
    useHasty();
    String nobody;
    try (FakePeer peer = FakePeer.that((it, to, get) -> {})) {
      nobody = peer.address();
    }
    assertThat(asker.pull(nobody, KEYS, LONG)).isInstanceOf(PullOutcome.Unavailable.class);
    await()
        .atMost(Duration.ofSeconds(40))
        .until(
            () ->
                asker
                    .pull(nobody, KEYS, LONG)
                    .equals(new PullOutcome.Unavailable(0, "is being passed over")));
  }

  @Test
  void peer_thatIsSilentAtItsInitPort_isUnavailableWithinTheConnectTimeout() throws Exception {
    useHasty();
    try (FakePeer peer = FakePeer.thatIsSilentAtItsInitPort()) {
      long start = System.nanoTime();
      assertThat(pull(peer, VERY_LONG)).isInstanceOf(PullOutcome.Unavailable.class);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(CONNECT.plus(SLACK));
    }
  }

  @Test
  void peer_thatNeverAnswers_timesOut() throws Exception {
    try (FakePeer peer = FakePeer.that((it, to, get) -> {})) {
      warm(peer);
      assertThat(pull(peer, SHORT)).isEqualTo(new PullOutcome.TimedOut(0));
    }
  }

  @Test
  void peer_thatIsSilentUnderAShortDeadline_isNotPassedOver() throws Exception {
    AtomicBoolean answers = new AtomicBoolean();
    try (FakePeer peer =
        FakePeer.that(
            (it, to, get) -> {
              if (answers.get()) {
                all(it, to, get);
              }
            })) {
      warm(peer);
      askInVain(peer);
      answers.set(true);
      assertThat(pull(peer, LONG)).isEqualTo(new PullOutcome.Hit(4));
      assertThat(asker.pulled.get(PullCount.PASSED_OVER)).isZero();
    }
  }

  /** The peer gets a question, and doesn't answer in the short time that it has. */
  private void askInVain(FakePeer peer) throws InterruptedException {
    do {
      assertThat(pull(peer, SHORT)).isEqualTo(new PullOutcome.TimedOut(0));
    } while (peer.gets.get() == 0);
  }

  @Test
  void peer_thatIsAlwaysSilentUnderShortDeadlines_isPassedOverInTheEnd() throws Exception {
    useHasty();
    try (FakePeer peer = FakePeer.that((it, to, get) -> {})) {
      warm(peer);
      long start = System.nanoTime();
      PullOutcome outcome;
      do {
        outcome = pull(peer, SHORT);
      } while (outcome instanceof PullOutcome.TimedOut);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(CONNECT.minus(SHORT));
      assertThat(asker.pulled.get(PullCount.PASSED_OVER)).isPositive();
    }
  }

  @Test
  void reply_thatComesAfterTheDeadline_touchesNoPageAndItsLoanIsEnded() throws Exception {
    AtomicInteger sent = new AtomicInteger();
    List<Runnable> late = new ArrayList<>();
    try (FakePeer peer =
        FakePeer.that(
            (it, to, get) ->
                late.add(
                    () -> {
                      all(it, to, get);
                      sent.incrementAndGet();
                    }))) {
      warm(peer);
      askInVain(peer);
      int free = asker.cache.stats().freePages();

      peer.later(() -> late.forEach(Runnable::run));

      await().untilAsserted(() -> assertThat(peer.done).containsOnly(1L));
      await()
          .untilAsserted(
              () ->
                  assertThat(asker.pulled.get(PullCount.FOREIGN_REPLY))
                      .isPositive()
                      .isEqualTo(sent.get()));
      assertThat(asker.cache.stats().freePages()).isEqualTo(free);
      assertThat(asker.resident(KEYS)).isZero();
    }
  }

  @Test
  void reply_thatComesTwice_countsOnce() throws Exception {
    try (FakePeer peer =
        FakePeer.that(
            (it, to, get) -> {
              all(it, to, get);
              all(it, to, get);
            })) {
      assertThat(pull(peer, LONG)).isEqualTo(new PullOutcome.Hit(4));
      await()
          .untilAsserted(() -> assertThat(asker.pulled.get(PullCount.FOREIGN_REPLY)).isEqualTo(1));
      assertThat(asker.pulled.get(PullCount.CHUNK)).isEqualTo(4);
    }
  }

  @Test
  void reply_withAnIdThatNobodyAskedWith_isDropped() throws Exception {
    try (FakePeer peer =
        FakePeer.that(
            (it, to, get) -> {
              it.replyToOther(to, FakePeer.right(get, 4), FakePeer.bodies(get, 4));
              all(it, to, get);
            })) {
      assertThat(pull(peer, LONG)).isEqualTo(new PullOutcome.Hit(4));
      assertThat(asker.pulled.get(PullCount.FOREIGN_REPLY)).isEqualTo(1);
    }
  }

  @Test
  void reply_withTooFewFrames_isBroken() throws Exception {
    assertBroken((it, to, get) -> it.reply(to, FakePeer.right(get, 4), FakePeer.bodies(get, 3)));
  }

  @Test
  void reply_withTooManyFrames_isBroken() throws Exception {
    assertBroken((it, to, get) -> it.reply(to, FakePeer.right(get, 3), FakePeer.bodies(get, 4)));
  }

  @Test
  void reply_withAShortFrame_isBroken() throws Exception {
    assertBroken(
        (it, to, get) -> {
          List<Frame> bodies = FakePeer.bodies(get, 4);
          bodies.set(2, Frame.of(new byte[FakePeer.PAGE - 1]));
          it.reply(to, FakePeer.right(get, 4), bodies);
        });
  }

  @Test
  void reply_withALongFrame_isBroken() throws Exception {
    assertBroken(
        (it, to, get) -> {
          List<Frame> bodies = FakePeer.bodies(get, 4);
          bodies.set(0, Frame.of(new byte[FakePeer.PAGE + 1]));
          it.reply(to, FakePeer.right(get, 4), bodies);
        });
  }

  @Test
  void reply_withAChunkLargerThanAPage_isAShortHit() throws Exception {
    assertShort(FakePeer.PAGE + 1, TestAgent.TOKENS);
  }

  private void assertShort(int bytes, int tokens) throws Exception {
    try (FakePeer peer =
        FakePeer.that(
            (it, to, get) -> {
              List<Frame> bodies = FakePeer.bodies(get, 3);
              bodies.set(1, Frame.of(new byte[bytes]));
              BatchedLookupAndGetRetMsg right = FakePeer.right(get, 3);
              it.reply(
                  to,
                  new BatchedLookupAndGetRetMsg(
                      3,
                      FakePeer.EPOCH,
                      1L,
                      List.of(FakePeer.PAGE, bytes, FakePeer.PAGE),
                      List.of(TestAgent.TOKENS, tokens, TestAgent.TOKENS),
                      right.checksums()),
                  bodies);
            })) {
      assertThat(pull(peer, LONG)).isEqualTo(new PullOutcome.Hit(1));
      assertThat(asker.pulled.get(PullCount.UNWANTED_CHUNK)).isEqualTo(1);
      assertThat(asker.pulled.get(PullCount.BROKEN)).isZero();
    }
  }

  @Test
  void reply_withMoreChunksThanWereAskedFor_isBroken() throws Exception {
    assertBroken(
        (it, to, get) -> {
          List<String> more = new ArrayList<>(get.keys());
          more.addAll(get.keys());
          BatchedLookupAndGetMsg twice = new BatchedLookupAndGetMsg("x", "x", more, List.of());
          it.reply(to, FakePeer.right(twice, 8), FakePeer.bodies(twice, 8));
        });
  }

  @Test
  void reply_withANegativeCount_isBroken() throws Exception {
    assertBroken((it, to, get) -> it.reply(to, new BatchedLookupAndGetRetMsg(-1), List.of()));
  }

  @Test
  void reply_withoutLengths_isBroken() throws Exception {
    assertBroken(
        (it, to, get) -> it.reply(to, new BatchedLookupAndGetRetMsg(4), FakePeer.bodies(get, 4)));
  }

  @Test
  void reply_thatIsNoMessage_isBrokenAndTheConnectionLivesOn() throws Exception {
    AtomicInteger times = new AtomicInteger();
    try (FakePeer peer =
        FakePeer.that(
            (it, to, get) -> {
              if (times.getAndIncrement() == 0) {
                it.replyWith(to, new byte[] {(byte) 0xc1, 1, 2, 3});
              } else {
                all(it, to, get);
              }
            })) {
      assertThat(pull(peer, LONG)).isInstanceOf(PullOutcome.Broken.class);
      assertThat(asker.client.refusedFrames().count()).isEqualTo(1);
      await().untilAsserted(() -> assertThat(pull(peer, LONG)).isEqualTo(new PullOutcome.Hit(4)));
      assertThat(peer.handshakes).hasValue(1);
    }
  }

  @Test
  void reply_withAFlippedBit_keepsWhatIsBeforeIt() throws Exception {
    try (FakePeer peer =
        FakePeer.that(
            (it, to, get) -> {
              List<Frame> bodies = FakePeer.bodies(get, 4);
              byte[] harmed = FakePeer.body(get.keys().get(2));
              harmed[77] ^= 4;
              bodies.set(2, Frame.of(harmed));
              it.reply(to, FakePeer.right(get, 4), bodies);
            })) {
      assertThat(pull(peer, LONG)).isEqualTo(new PullOutcome.Broken(2, "checksum"));
      assertThat(asker.pulled.get(PullCount.HARMED_CHUNK)).isEqualTo(1);
    }
  }

  @Test
  void handshake_ofALaterFormat_isNoneAndSaysBothNumbers() throws Exception {
    try (FakePeer peer = FakePeer.that((it, to, get) -> it.give(to, get, 4))) {
      peer.format.set(2);
      assertThat(pull(peer, LONG))
          .isInstanceOfSatisfying(
              PullOutcome.Unavailable.class,
              none ->
                  assertThat(none.reason())
                      .contains("Expected format 1 or earlier, got 2", "upgrade this reader"));
      assertThat(peer.gets).hasValue(0);
    }
  }

  @Test
  void errors_areRejectionsWithTheirCodes() throws Exception {
    for (int code : new int[] {1, 2, 99}) {
      try (FakePeer peer =
          FakePeer.that((it, to, get) -> it.reply(to, new P2PErrorMsg(code), List.of()))) {
        assertThat(pull(peer, LONG)).isEqualTo(new PullOutcome.Rejected(0, code));
        assertThat(peer.gets).hasValue(1);
      }
    }
  }

  @Test
  void overload_isAnOutcomeOfItsOwn() throws Exception {
    try (FakePeer peer =
        FakePeer.that((it, to, get) -> it.reply(to, new P2PErrorMsg(4), List.of()))) {
      assertThat(pull(peer, LONG)).isEqualTo(new PullOutcome.Overloaded(0));
      assertThat(asker.pulled.get(PullCount.OVERLOADED)).isEqualTo(1);
      assertThat(peer.gets).hasValue(1);
    }
  }

  @Test
  void wishForAHandshake_isGrantedThreeTimesAtMost() throws Exception {
    try (FakePeer peer =
        FakePeer.that((it, to, get) -> it.reply(to, new P2PErrorMsg(3), List.of()))) {
      assertThat(pull(peer, LONG)).isEqualTo(new PullOutcome.Rejected(0, 3));
      assertThat(peer.gets).hasValue(3);
      assertThat(peer.handshakes).hasValue(3);
    }
  }

  @Test
  void reply_ofAnotherEpoch_leadsToANewHandshake() throws Exception {
    AtomicInteger times = new AtomicInteger();
    try (FakePeer peer =
        FakePeer.that(
            (it, to, get) -> {
              if (times.getAndIncrement() == 0) {
                BatchedLookupAndGetRetMsg right = FakePeer.right(get, 4);
                it.reply(
                    to,
                    new BatchedLookupAndGetRetMsg(
                        4, 8L, 1L, right.lengths(), right.tokens(), right.checksums()),
                    FakePeer.bodies(get, 4));
              } else {
                all(it, to, get);
              }
            })) {
      assertThat(pull(peer, LONG)).isEqualTo(new PullOutcome.Hit(4));
      assertThat(peer.handshakes).hasValue(2);
    }
  }

  @Test
  void connection_thatGoesAwayMidPull_isMadeAnewWithinTheDeadline() throws Exception {
    AtomicInteger times = new AtomicInteger();
    try (FakePeer peer =
        FakePeer.that(
            (it, to, get) -> {
              if (times.getAndIncrement() == 0) {
                it.dropConnections();
              } else {
                all(it, to, get);
              }
            })) {
      assertThat(pull(peer, LONG)).isEqualTo(new PullOutcome.Hit(4));
      assertThat(asker.pulled.get(PullCount.RETRY)).isPositive();
    }
  }

  @Test
  void peer_thatDiesMidPull_failsThePullAtOnce() throws Exception {
    useHasty();
    AtomicInteger times = new AtomicInteger();
    FakePeer peer = FakePeer.that((it, to, get) -> times.incrementAndGet());
    warm(peer);
    Thread killer =
        Thread.ofVirtual()
            .start(
                () -> {
                  await().until(() -> times.get() > 0);
                  peer.close();
                });
    long start = System.nanoTime();
    PullOutcome outcome = asker.pull(peer.address(), KEYS, VERY_LONG);
    killer.join();

    assertThat(outcome).isInstanceOf(PullOutcome.Unavailable.class);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(CONNECT.plus(SLACK));
  }

  @Test
  void requester_thatIsInterrupted_givesItsPagesBack() throws Exception {
    try (FakePeer peer = FakePeer.that((it, to, get) -> {})) {
      warm(peer);
      Thread pulling =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      asker.pull(peer.address(), KEYS, LONG);
                    } catch (InterruptedException e) {
                      Thread.currentThread().interrupt();
                    }
                  });
      await().until(() -> peer.gets.get() > 0);
      pulling.interrupt();
      pulling.join();
      asker.requireSettled();
    }
  }

  @Test
  void peer_thatDropsOneReplyInTen_costsOneTimeoutEach() throws Exception {
    AtomicBoolean drops = new AtomicBoolean();
    try (FakePeer peer =
        FakePeer.that(
            (it, to, get) -> {
              if (!drops.get()) {
                all(it, to, get);
              }
            })) {
      warm(peer);
      for (int i = 0; i < 40; i++) {
        List<ChunkKey> keys = TestAgent.keys(100 + 4L * i, 4);
        if (i % 10 == 9) {
          drops.set(true);
          assertThat(asker.pull(peer.address(), keys, SHORT))
              .isEqualTo(new PullOutcome.TimedOut(0));
          drops.set(false);
        }
        assertThat(asker.pull(peer.address(), keys, LONG)).isEqualTo(new PullOutcome.Hit(4));
      }
      assertThat(asker.sockets.stats().openSockets()).isLessThanOrEqualTo(3);
    }
  }

  private void assertBroken(FakePeer.Script script) throws Exception {
    try (FakePeer peer = FakePeer.that(script)) {
      assertThat(pull(peer, LONG)).isInstanceOf(PullOutcome.Broken.class);
      assertThat(asker.pulled.get(PullCount.BROKEN)).isEqualTo(1);
    }
  }

  private static void all(FakePeer peer, Envelope to, BatchedLookupAndGetMsg get) {
    int chunks = get.keys().size();
    peer.reply(to, FakePeer.right(get, chunks), FakePeer.bodies(get, chunks));
  }

  /** Shakes hands, however long that takes, so that the next pull's time is its own. */
  private void warm(FakePeer peer) {
    await()
        .atMost(VERY_LONG)
        .until(
            () ->
                asker.pull(peer.address(), FakePeer.NOT_HELD, LONG).equals(new PullOutcome.Miss()));
  }
}
