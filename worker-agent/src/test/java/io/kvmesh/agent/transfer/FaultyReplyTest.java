package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.wire.peer.BatchedLookupAndGetMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetRetMsg;
import io.kvmesh.common.wire.peer.P2PErrorMsg;
import io.kvmesh.common.zmq.Frame;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever a peer answers, nothing wrong is kept, and no page is lost. */
@Timeout(180)
class FaultyReplyTest extends FaultyPeerFixture {

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

  private void assertBroken(FakePeer.Script script) throws Exception {
    try (FakePeer peer = FakePeer.that(script)) {
      assertThat(pull(peer, LONG)).isInstanceOf(PullOutcome.Broken.class);
      assertThat(asker.pulled.get(PullCount.BROKEN)).isEqualTo(1);
    }
  }
}
