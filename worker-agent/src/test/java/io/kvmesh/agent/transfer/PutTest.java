package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.RemovalCause;
import io.kvmesh.common.process.LoopbackPorts;
import io.kvmesh.common.wire.peer.BatchedLookupAndPutMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndPutRetMsg;
import io.kvmesh.common.wire.peer.BatchedPutDoneMsg;
import io.kvmesh.common.wire.peer.P2PErrorMsg;
import io.kvmesh.common.wire.peer.PutOutcome;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of chunks that a peer pushes. */
@Timeout(60)
class PutTest extends PutFixture {

  @Test
  void put_readsWhatIsMissingAndSkipsWhatIsHere() {
    introduceSender();
    sender.store(KEYS);
    target.store(List.of(KEYS.get(2), KEYS.get(4)));

    assertThat(ask(put(KEYS)))
        .isEqualTo(
            new BatchedLookupAndPutRetMsg(
                4,
                100L,
                List.of(
                    PutOutcome.READ,
                    PutOutcome.READ,
                    PutOutcome.RESIDENT,
                    PutOutcome.READ,
                    PutOutcome.RESIDENT,
                    PutOutcome.READ),
                null));

    assertThat(target.resident(KEYS)).isEqualTo(6);
    assertThat(sender.served.get(ServerCount.CHUNK_SENT)).isEqualTo(4);
    assertThat(target.served.get(ServerCount.CHUNK_READ)).isEqualTo(4);
    assertThat(target.served.get(ServerCount.BYTE_READ)).isEqualTo(4 * 4096);
    requireSettled();
  }

  @Test
  void put_ofTheSameKeysAgain_readsNothing() {
    introduceSender();
    sender.store(KEYS);
    ask(put(KEYS));

    BatchedLookupAndPutRetMsg again = ask(put(KEYS));

    assertThat(again.numReadChunks()).isZero();
    assertThat(again.outcomes()).containsOnly(PutOutcome.RESIDENT).hasSize(6);
    assertThat(sender.served.get(ServerCount.CHUNK_SENT)).isEqualTo(6);
    requireSettled();
  }

  @Test
  void put_ofMoreThanOneRequestReads_isReadInParts() throws Exception {
    useInstead(TestAgent.named("target").getBytes(2 * 4096));
    introduceSender();
    sender.store(KEYS);

    assertThat(ask(put(KEYS)).numReadChunks()).isEqualTo(6);

    assertThat(sender.served.get(ServerCount.GET)).isEqualTo(3);
    requireSettled();
  }

  @Test
  void put_inLmCachesShape_isAnsweredWithTheCountAlone() {
    introduceSender();
    sender.store(KEYS);
    assertThat(ask(foreignPut(KEYS))).isEqualTo(new BatchedLookupAndPutRetMsg(6));
    assertThat(target.resident(KEYS)).isEqualTo(6);
  }

  @Test
  void put_asLmCacheWritesIt_ofAnUnknownSender_isAnsweredAsLmCacheReadsIt() {
    // The vectors lookup_and_put and lookup_and_put_ret of p2p_messages.json; nothing was read.
    byte[] put =
        HexFormat.of()
            .parseHex(
                "85a474797065b6426174636865644c6f6f6b7570416e645075744d7367a973656e6465725f6964"
                    + "ae3132372e302e302e353a38323030a46b65797391d93e6d6574612d6c6c616d612f4c6c616d"
                    + "612d332e312d38422d496e7374727563744031403040366239653266376131633364356534"
                    + "664062666c6f61743136a76f66667365747391cd0100ab6d656d5f696e64657865739111");
    lookup.tellRaw(new byte[0], put);
    BatchedLookupAndPutRetMsg reply = lookup.answer(BatchedLookupAndPutRetMsg.class).message();
    assertThat(reply).isEqualTo(new BatchedLookupAndPutRetMsg(0));
    assertThat(target.served.get(ServerCount.PUT_REFUSED)).isEqualTo(1);
  }

  @Test
  void put_thatMakesNoSense_isAnErrorForOursAndNothingForOthers() {
    introduceSender();
    for (Long epoch : new Long[] {100L, null}) {
      BatchedLookupAndPutMsg noKey =
          new BatchedLookupAndPutMsg(
              sender.address(),
              List.of("no key"),
              List.of(FULL),
              List.of(),
              epoch,
              epoch,
              null,
              9L);
      BatchedLookupAndPutMsg noOffset =
          new BatchedLookupAndPutMsg(
              sender.address(),
              List.of(KEYS.getFirst().toString()),
              List.of(),
              List.of(),
              epoch,
              epoch,
              null,
              null);
      for (BatchedLookupAndPutMsg bad : List.of(noKey, noOffset)) {
        if (epoch == null) {
          assertThat(ask(bad)).isEqualTo(new BatchedLookupAndPutRetMsg(0));
        } else {
          assertThat(lookup.ask(P2PErrorMsg.class, bad).errorCode())
              .isEqualTo(P2PErrorMsg.UNKNOWN_MESSAGE);
        }
      }
    }
  }

  @Test
  void put_ofASenderThatCannotBeRead_readsNothingAndIsCounted() throws Exception {
    useInstead(TestAgent.named("target").connectTimeout(Duration.ofMillis(500)));
    String nobody = "127.0.0.1:" + LoopbackPorts.free();
    introduce(nobody, 100);
    assertThat(ask(put(nobody, KEYS, FULL, null, null)))
        .isEqualTo(new BatchedLookupAndPutRetMsg(0));
    assertThat(outcomes(put(nobody, KEYS, FULL, 100L, null))).containsOnly(PutOutcome.UNREADABLE);
    assertThat(target.served.get(ServerCount.PUT_UNREAD)).isEqualTo(2);
    target.requireSettled();
  }

  @Test
  void put_ofChunksThatTheSenderLacks_readsThoseBeforeTheFirst() {
    introduceSender();
    sender.store(KEYS);
    sender.cache.remove(KEYS.get(3), RemovalCause.REMOVED);
    assertThat(outcomes(put(KEYS)))
        .containsExactly(
            PutOutcome.READ,
            PutOutcome.READ,
            PutOutcome.READ,
            PutOutcome.NOT_SENT,
            PutOutcome.NOT_SENT,
            PutOutcome.NOT_SENT);
    requireSettled();
  }

  @Test
  void put_ofAPartOfAChunk_isTakenAsTheLastAlone() {
    introduceSender();
    sender.store(KEYS.subList(0, 2));
    sender.store(KEYS.get(2), 1000, 3);

    assertThat(outcomes(put(sender.address(), KEYS.subList(0, 3), 3, 100L, null)))
        .containsOnly(PutOutcome.READ);

    try (ChunkLease lease = target.cache.leasePrefix(KEYS)) {
      assertThat(lease.bytes(2)).isEqualTo(1000);
      assertThat(lease.tokens(2)).isEqualTo(3);
    }
    target.cache.clear();
    BatchedLookupAndPutMsg inTheMiddle =
        new BatchedLookupAndPutMsg(
            sender.address(),
            List.of(KEYS.get(2).toString(), KEYS.get(0).toString()),
            List.of(3L, FULL),
            List.of(),
            100L,
            100L,
            null,
            null);
    assertThat(outcomes(inTheMiddle)).containsExactly(PutOutcome.UNFULL, PutOutcome.READ);
    requireSettled();
  }

  @Test
  void put_whoseTokensAreNotThoseOfTheChunk_isNotTaken() {
    introduceSender();
    sender.store(KEYS);
    assertThat(outcomes(put(sender.address(), KEYS.subList(0, 2), 3, 100L, null)))
        .containsExactly(PutOutcome.READ, PutOutcome.WRONG_SIZE);
    assertThat(outcomes(put(sender.address(), KEYS.subList(2, 3), FULL + 1, 100L, null)))
        .containsExactly(PutOutcome.WRONG_SIZE);
    requireSettled();
  }

  @Test
  void put_intoACacheWithoutRoom_isRefusedChunkByChunk() throws Exception {
    useInstead(TestAgent.named("target").pages(4, 4096));
    introduceSender();
    sender.store(KEYS);
    target.store(TestAgent.keys(100, 2));
    try (ChunkLease held = target.cache.leasePrefix(TestAgent.keys(100, 2))) {
      assertThat(held.size()).isEqualTo(2);
      assertThat(outcomes(put(KEYS)))
          .containsExactly(
              PutOutcome.READ,
              PutOutcome.READ,
              PutOutcome.NO_SPACE,
              PutOutcome.NO_SPACE,
              PutOutcome.NO_SPACE,
              PutOutcome.NO_SPACE);
    }
    requireSettled();
  }

  @Test
  void put_ofAMove_isHeldUntilTheMoveIsOver() {
    introduceSender();
    sender.store(KEYS);
    assertThat(ask(putOfMove(KEYS, 7)).heldMillis()).isEqualTo(10_000);
    assertThat(target.server.heldForMoves()).isEqualTo(6);

    target.store(TestAgent.keys(1000, 200));
    assertThat(target.resident(KEYS)).isEqualTo(6);

    lookup.tell(new BatchedPutDoneMsg(sender.address(), 8), List.of());
    lookup.tell(new BatchedPutDoneMsg(sender.address(), 7), List.of());
    requireSettled();
    target.awaitServed(ServerCount.HOLD_DONE, 1);
    target.awaitServed(ServerCount.UNKNOWN_HOLD, 1);
    target.store(TestAgent.keys(2000, 64));
    assertThat(target.resident(KEYS)).isZero();
  }

  @Test
  void put_ofAMoveThatNeverEnds_isHeldForItsTime() throws Exception {
    useInstead(TestAgent.named("target").hold(Duration.ofMillis(300), 100));
    introduceSender();
    sender.store(KEYS);
    assertThat(ask(putOfMove(KEYS, 7)).heldMillis()).isEqualTo(300);
    await()
        .untilAsserted(() -> assertThat(target.served.get(ServerCount.HOLD_EXPIRED)).isEqualTo(1));
    requireSettled();
  }

  @Test
  void put_ofAMove_beyondWhatMayBeHeld_findsNoSpace() throws Exception {
    useInstead(TestAgent.named("target").pages(8, 4096).hold(Duration.ofSeconds(10), 50));
    introduceSender();
    sender.store(KEYS);
    assertThat(outcomes(putOfMove(KEYS, 7)))
        .containsExactly(
            PutOutcome.READ,
            PutOutcome.READ,
            PutOutcome.READ,
            PutOutcome.READ,
            PutOutcome.NO_SPACE,
            PutOutcome.NO_SPACE);
    lookup.tell(new BatchedPutDoneMsg(sender.address(), 7), List.of());
    requireSettled();
  }
}
