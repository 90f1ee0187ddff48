package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndPutMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndPutRetMsg;
import io.kvmesh.common.wire.peer.BatchedPutDoneMsg;
import io.kvmesh.common.wire.peer.P2PErrorMsg;
import io.kvmesh.common.wire.peer.PeerReply;
import io.kvmesh.common.wire.peer.PutOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pushes that make no sense, or whose sender fails: each is answered, and nothing is lost. */
@Timeout(60)
class PutFaultsTest extends PutFixture {

  @Test
  void put_withoutHandshakeOrOfAnotherLife_isCodeThreeForOursAndNothingForOthers() {
    sender.store(KEYS);
    assertThat(lookup.ask(P2PErrorMsg.class, put(KEYS)).errorCode())
        .isEqualTo(P2PErrorMsg.NOT_INITIALIZED);
    assertThat(ask(foreignPut(KEYS))).isEqualTo(new BatchedLookupAndPutRetMsg(0));
    introduce(sender.address(), 99);
    assertThat(lookup.ask(P2PErrorMsg.class, put(KEYS)).errorCode())
        .isEqualTo(P2PErrorMsg.NOT_INITIALIZED);
    introduceSender();
    target.epoch.set(101);
    assertThat(lookup.ask(P2PErrorMsg.class, put(KEYS)).errorCode())
        .isEqualTo(P2PErrorMsg.NOT_INITIALIZED);
    assertThat(target.served.get(ServerCount.PUT_REFUSED)).isEqualTo(4);
    assertThat(target.resident(KEYS)).isZero();
  }

  @Test
  void put_whoseBytesComeHarmed_isNotTaken() throws Exception {
    try (FakePeer liar =
        FakePeer.that(
            (it, to, get) ->
                it.reply(to, FakePeer.right(get, 1), FakePeer.bodies(otherKeys(get), 1)))) {
      introduce(liar.address(), 100);
      assertThat(outcomes(put(liar.address(), KEYS.subList(0, 1), FULL, 100L, null)))
          .containsExactly(PutOutcome.HARMED);
    }
    assertThat(target.resident(KEYS)).isZero();
    target.requireSettled();
  }

  private static BatchedLookupAndGetMsg otherKeys(BatchedLookupAndGetMsg get) {
    return new BatchedLookupAndGetMsg(
        get.lookupId(), get.receiverId(), List.of(KEYS.getLast().toString()), List.of());
  }

  @Test
  void put_whoseSenderGoesAwayHalfWay_keepsWholeChunksAndFreesTheRest() throws Exception {
    useInstead(TestAgent.named("target").getBytes(2 * 4096));
    try (FakePeer half =
        FakePeer.that(
            (it, to, get) -> {
              if (get.keys().getFirst().equals(KEYS.getFirst().toString())) {
                it.reply(to, FakePeer.right(get, 2), FakePeer.bodies(get, 2));
              } else {
                it.dropConnections();
              }
            })) {
      introduce(half.address(), 100);
      assertThat(outcomes(put(half.address(), KEYS, FULL, 100L, null)))
          .startsWith(PutOutcome.READ, PutOutcome.READ)
          .endsWith(PutOutcome.UNREADABLE, PutOutcome.UNREADABLE);
    }
    target.requireSettled();
    introduceSender();
    sender.store(KEYS);
    assertThat(outcomes(put(KEYS)))
        .startsWith(PutOutcome.RESIDENT, PutOutcome.RESIDENT, PutOutcome.READ);
    assertThat(target.resident(KEYS)).isEqualTo(6);
  }

  @Test
  void puts_moreThanMayWait_areOverloadedAndTheOthersAnsweredInTime() throws Exception {
    useInstead(TestAgent.named("target").maxPuts(1).putDeadline(Duration.ofSeconds(30)));
    List<Runnable> answers = new ArrayList<>();
    try (FakePeer slow =
        FakePeer.that((it, to, get) -> answers.add(() -> it.give(to, get, get.keys().size())))) {
      introduce(slow.address(), 100);
      for (int i = 0; i < 8; i++) {
        lookup.tell(put(slow.address(), TestAgent.keys(10 + i, 1), FULL, 100L, null), List.of());
      }
      for (int i = 0; i < 3; i++) {
        assertThat(lookup.answer(P2PErrorMsg.class).message().errorCode())
            .as("4 are at work, 1 waits")
            .isEqualTo(P2PErrorMsg.OVERLOADED);
      }
      assertThat(target.served.get(ServerCount.PUT_OVERLOADED)).isEqualTo(3);
      await().until(() -> slow.gets.get() == 4);
      slow.later(() -> answers.forEach(Runnable::run));
      await().until(() -> slow.gets.get() == 5);
      slow.later(() -> answers.getLast().run());
      for (int i = 0; i < 5; i++) {
        assertThat(lookup.answer(BatchedLookupAndPutRetMsg.class).message().outcomes())
            .containsExactly(PutOutcome.READ);
      }
    }
    target.requireSettled();
  }

  @Test
  void puts_ofEverySort_areEachAnsweredOnceAndLeaveNothingHeld() throws Exception {
    useInstead(
        TestAgent.named("target")
            .pages(24, 4096)
            .getBytes(3 * 4096)
            .maxPuts(400)
            .hold(Duration.ofMillis(300), 60));
    introduceSender();
    sender.store(TestAgent.keys(1, 40));
    long seed = 41;
    Random random = new Random(seed);
    for (int i = 0; i < 400; i++) {
      lookup.tell(anyPut(random), List.of());
      if (random.nextInt(4) == 0) {
        lookup.tell(new BatchedPutDoneMsg(sender.address(), random.nextInt(3)), List.of());
      }
    }
    for (int i = 0; i < 400; i++) {
      PeerReply reply = lookup.answer(PeerReply.class).message();
      assertThat(reply)
          .as("reply %d, seed %d", i, seed)
          .isInstanceOfAny(BatchedLookupAndPutRetMsg.class, P2PErrorMsg.class);
    }
    assertThat(lookup.receive(Duration.ofMillis(50))).isNull();
    requireSettled();
    assertThat(target.served.get(ServerCount.SERVER_ERROR)).isZero();
    assertThat(target.resident(TestAgent.keys(1, 40))).isNotNegative();
  }

  private BatchedLookupAndPutMsg anyPut(Random random) {
    List<ChunkKey> keys = TestAgent.keys(random.nextInt(45), random.nextInt(12));
    List<Long> tokens = new ArrayList<>();
    for (int i = random.nextInt(10) == 0 ? 1 : 0; i < keys.size(); i++) {
      tokens.add(random.nextInt(10) == 0 ? random.nextLong() : FULL);
    }
    return new BatchedLookupAndPutMsg(
        random.nextInt(10) == 0 ? "10.9.9.9:1" : sender.address(),
        keys.stream().map(ChunkKey::toString).toList(),
        tokens,
        List.of(),
        random.nextInt(4) == 0 ? null : 100L,
        random.nextInt(10) == 0 ? (Long) 99L : null,
        random.nextBoolean() ? (Long) (long) random.nextInt(3) : null,
        random.nextInt(3) == 0 ? (Long) random.nextLong() : null);
  }
}
