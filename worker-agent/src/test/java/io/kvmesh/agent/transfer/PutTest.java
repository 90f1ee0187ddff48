package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.RemovalCause;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.process.LoopbackPorts;
import io.kvmesh.common.wire.handshake.KvmeshInitRequest;
import io.kvmesh.common.wire.handshake.KvmeshInitResponse;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndPutMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndPutRetMsg;
import io.kvmesh.common.wire.peer.BatchedPutDoneMsg;
import io.kvmesh.common.wire.peer.P2PErrorMsg;
import io.kvmesh.common.wire.peer.PeerReply;
import io.kvmesh.common.wire.peer.PutOutcome;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of chunks that a peer pushes. */
@Timeout(60)
class PutTest {

  private static final long FULL = TestAgent.TOKENS;
  private static final List<ChunkKey> KEYS = TestAgent.keys(1, 6);

  private TestAgent target;
  private TestAgent sender;
  private RawClient init;
  private RawClient lookup;

  @BeforeEach
  void start() throws IOException {
    use(TestAgent.named("target"));
  }

  private void use(TestAgent.Builder builder) throws IOException {
    target = builder.start();
    sender = TestAgent.named("sender").start();
    init = RawClient.dealer(target.address());
    lookup = RawClient.dealer(target.server.lookupAddress());
  }

  private void useInstead(TestAgent.Builder builder) throws IOException {
    stop();
    use(builder);
  }

  @AfterEach
  void stop() {
    init.close();
    lookup.close();
    sender.close();
    target.close();
  }

  private void introduce(String address, long epoch) {
    KvmeshInitRequest request =
        new KvmeshInitRequest(
            1, address, "s", 0, epoch, 4096, TestAgent.TOKENS, List.of(Channels.ZMQ));
    assertThat(init.ask(KvmeshInitResponse.class, request).refusal()).isNull();
  }

  private void introduceSender() {
    introduce(sender.address(), 100);
  }

  private static BatchedLookupAndPutMsg put(
      String from,
      List<ChunkKey> keys,
      long lastTokens,
      @Nullable Long epoch,
      @Nullable Long move) {
    List<Long> tokens = new ArrayList<>(Collections.nCopies(keys.size(), FULL));
    tokens.set(keys.size() - 1, lastTokens);
    List<String> texts = keys.stream().map(ChunkKey::toString).toList();
    return new BatchedLookupAndPutMsg(
        from, texts, tokens, List.of(), epoch, epoch == null ? null : 100L, move, null);
  }

  private BatchedLookupAndPutMsg put(List<ChunkKey> keys) {
    return put(sender.address(), keys, FULL, 100L, null);
  }

  private BatchedLookupAndPutMsg putOfMove(List<ChunkKey> keys, long move) {
    return put(sender.address(), keys, FULL, 100L, move);
  }

  private BatchedLookupAndPutMsg foreignPut(List<ChunkKey> keys) {
    return put(sender.address(), keys, FULL, null, null);
  }

  private BatchedLookupAndPutRetMsg ask(BatchedLookupAndPutMsg put) {
    return lookup.ask(BatchedLookupAndPutRetMsg.class, put);
  }

  private List<PutOutcome> outcomes(BatchedLookupAndPutMsg put) {
    List<PutOutcome> outcomes = ask(put).outcomes();
    assertThat(outcomes).isNotNull();
    return outcomes == null ? List.of() : outcomes;
  }

  private void requireSettled() {
    target.requireSettled();
    sender.requireSettled();
  }

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
