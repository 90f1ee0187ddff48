package io.kvmesh.agent.transfer;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.control.HealthWorkerMsg;
import io.kvmesh.common.wire.handshake.KvmeshInitRequest;
import io.kvmesh.common.wire.handshake.KvmeshInitResponse;
import io.kvmesh.common.wire.handshake.P2PInitSideMsg;
import io.kvmesh.common.wire.handshake.P2PInitSideRetMsg;
import io.kvmesh.common.wire.handshake.PySocketInitRequest;
import io.kvmesh.common.wire.peer.BatchedGetDoneMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetRetMsg;
import io.kvmesh.common.wire.peer.P2PErrorMsg;
import io.kvmesh.common.zmq.SocketSettings;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the doors for peers answer to whatever comes. */
@Timeout(60)
class PeerServerTest {

  private static final String ME = "10.1.2.3:8200";
  private static final long MY_EPOCH = 41;
  private static final List<ChunkKey> KEYS = TestAgent.keys(1, 4);

  private TestAgent owner;
  private RawClient init;
  private RawClient lookup;

  @BeforeEach
  void start() throws IOException {
    use(TestAgent.named("owner"));
  }

  private void use(TestAgentBuilder builder) throws IOException {
    owner = builder.start();
    owner.store(KEYS);
    init = RawClient.dealer(owner.address());
    lookup = RawClient.dealer(owner.server.lookupAddress());
  }

  @AfterEach
  void stop() {
    init.close();
    lookup.close();
    owner.close();
  }

  private KvmeshInitResponse introduce(long pageBytes, String... channels) {
    return introduce(init, pageBytes, channels);
  }

  private static KvmeshInitResponse introduce(
      RawClient client, long pageBytes, String... channels) {
    return client.ask(
        KvmeshInitResponse.class,
        new KvmeshInitRequest(
            1, ME, "me", 0, MY_EPOCH, pageBytes, TestAgent.TOKENS, List.of(channels)));
  }

  private static BatchedLookupAndGetMsg get(long epoch, long peerEpoch) {
    List<String> texts = KEYS.stream().map(ChunkKey::toString).toList();
    return new BatchedLookupAndGetMsg("l", ME, texts, List.of(), epoch, peerEpoch);
  }

  private static byte[] body(ChunkKey key) {
    byte[] body = new byte[4096];
    TestAgent.fill(MemorySegment.ofArray(body), key);
    return body;
  }

  @Test
  void handshake_namesEpochChannelAndLookupAddress() {
    assertThat(introduce(4096, "other", "zmq"))
        .isEqualTo(new KvmeshInitResponse(1, 100, 4096, "zmq", null));
    assertThat(init.ask(P2PInitSideRetMsg.class, new P2PInitSideMsg()).peerLookupUrl())
        .isEqualTo(owner.server.lookupAddress());
  }

  @Test
  void handshake_thatCannotWork_isRefusedWithTheReason() {
    assertThat(introduce(8192, "zmq").refusal()).contains("4096").contains("8192");
    assertThat(introduce(4096, "nixl").refusal()).contains("nixl");
    owner.fenced.set(true);
    assertThat(introduce(4096, "zmq").refusal()).contains("later life");
    owner.fenced.set(false);
    owner.epoch.set(-1);
    assertThat(introduce(4096, "zmq").refusal()).contains("epoch");
    assertThat(owner.served.get(ServerCount.HANDSHAKE_REFUSED)).isEqualTo(4);
  }

  @Test
  void handshake_ofALaterFormat_isRefusedWithBothNumbers() {
    KvmeshInitResponse answer =
        init.ask(
            KvmeshInitResponse.class,
            new KvmeshInitRequest(
                2, ME, "me", 0, MY_EPOCH, 4096, TestAgent.TOKENS, List.of("zmq")));
    assertThat(answer.refusal())
        .isEqualTo(
            "Expected format 1 or earlier, got 2: its writer is of a later version, upgrade this"
                + " reader");
    assertThat(owner.served.get(ServerCount.HANDSHAKE_REFUSED)).isEqualTo(1);
    assertThat(introduce(4096, "zmq").refusal()).as("one of this format").isNull();
  }

  @Test
  void handshake_ofAnotherChannel_isAnError() {
    assertThat(init.ask(P2PErrorMsg.class, new PySocketInitRequest("x")).errorCode())
        .isEqualTo(P2PErrorMsg.UNKNOWN_MESSAGE);
  }

  @Test
  void get_answersWithLengthsTokensChecksumsAndBodiesOnLoan() {
    introduce(4096, "zmq");
    RawClient.Answer<BatchedLookupAndGetRetMsg> answer =
        lookup.askForAll(BatchedLookupAndGetRetMsg.class, get(MY_EPOCH, 100), List.of());

    assertThat(answer.message().numHitChunks()).isEqualTo(4);
    assertThat(answer.message().epoch()).isEqualTo(100);
    assertThat(answer.message().lengths()).containsOnly(4096);
    assertThat(answer.message().tokens()).containsOnly(TestAgent.TOKENS);
    assertThat(answer.bodies())
        .usingElementComparator(Arrays::compare)
        .containsExactlyElementsOf(KEYS.stream().map(PeerServerTest::body).toList());
    assertThat(owner.server.openLoans()).isEqualTo(1);

    lookup.tell(new BatchedGetDoneMsg(requireNonNull(answer.message().loanId())), List.of());
    await().untilAsserted(() -> assertThat(owner.server.openLoans()).isZero());
  }

  @Test
  void loan_keepsItsPagesThoughTheCacheTurnsOver() {
    introduce(4096, "zmq");
    lookup.ask(BatchedLookupAndGetRetMsg.class, get(MY_EPOCH, 100));

    for (int i = 0; i < 3; i++) {
      owner.store(TestAgent.keys(10_000 + 100L * i, 64));
    }

    assertThat(owner.resident(KEYS)).as("what is on loan isn't evicted").isEqualTo(4);
  }

  @Test
  void loan_endsWhenItsConnectionGoesAway() {
    introduce(4096, "zmq");
    lookup.ask(BatchedLookupAndGetRetMsg.class, get(MY_EPOCH, 100));
    assertThat(owner.server.openLoans()).isEqualTo(1);

    lookup.close();

    await().untilAsserted(() -> assertThat(owner.server.openLoans()).isZero());
    owner.awaitServed(ServerCount.LOAN_GONE, 1);
    owner.requireSettled();
  }

  @Test
  void loan_thatIsOverdue_isCountedAndHeldAgainstThePeer() throws Exception {
    stop();
    use(TestAgent.named("owner").overdue(Duration.ofMillis(50), 1));
    introduce(4096, "zmq");
    lookup.ask(BatchedLookupAndGetRetMsg.class, get(MY_EPOCH, 100));
    await().untilAsserted(() -> assertThat(owner.server.overdueLoans()).isEqualTo(1));

    assertThat(lookup.ask(P2PErrorMsg.class, get(MY_EPOCH, 100)).errorCode())
        .isEqualTo(P2PErrorMsg.OVERLOADED);
    assertThat(owner.server.openLoans()).isEqualTo(1);
  }

  @Test
  void get_overTheBoundOfLoans_isOverloaded() throws Exception {
    stop();
    use(TestAgent.named("owner").maxLoanedPerPeer(6 * 4096));
    introduce(4096, "zmq");
    BatchedLookupAndGetRetMsg first =
        lookup.ask(BatchedLookupAndGetRetMsg.class, get(MY_EPOCH, 100));

    assertThat(lookup.ask(P2PErrorMsg.class, get(MY_EPOCH, 100)).errorCode())
        .isEqualTo(P2PErrorMsg.OVERLOADED);
    lookup.tell(new BatchedGetDoneMsg(requireNonNull(first.loanId())), List.of());
    assertThat(lookup.ask(BatchedLookupAndGetRetMsg.class, get(MY_EPOCH, 100)).numHitChunks())
        .isEqualTo(4);
  }

  @Test
  void get_ofMoreThanMayEverBeOnLoan_isAShorterPrefix() throws Exception {
    stop();
    use(TestAgent.named("owner").maxLoanedPerPeer(3 * 4096));
    introduce(4096, "zmq");

    assertThat(lookup.ask(BatchedLookupAndGetRetMsg.class, get(MY_EPOCH, 100)).numHitChunks())
        .isEqualTo(3);
  }

  @Test
  void get_withoutHandshakeOrOfAnotherLife_wantsAHandshake() {
    assertThat(lookup.ask(P2PErrorMsg.class, get(MY_EPOCH, 100)).errorCode()).isEqualTo(3);
    introduce(4096, "zmq");
    assertThat(lookup.ask(P2PErrorMsg.class, get(MY_EPOCH + 1, 100)).errorCode()).isEqualTo(3);
    assertThat(lookup.ask(P2PErrorMsg.class, get(MY_EPOCH, 99)).errorCode()).isEqualTo(3);
    assertThat(owner.served.get(ServerCount.NOT_INITIALIZED)).isEqualTo(3);
    assertThat(owner.server.openLoans()).isZero();
  }

  @Test
  void plainReqClient_thatAskedForCopies_getsThemWithoutALoan() throws Exception {
    try (RawClient plainInit = RawClient.req(owner.address());
        RawClient plain = RawClient.req(owner.server.lookupAddress())) {
      assertThat(introduce(plainInit, 4096, "zmq-copy").channel()).isEqualTo("zmq-copy");

      RawClient.Answer<BatchedLookupAndGetRetMsg> answer =
          plain.askForAll(BatchedLookupAndGetRetMsg.class, get(MY_EPOCH, 100), List.of());

      assertThat(answer.message().loanId()).isZero();
      assertThat(answer.bodies().get(3)).isEqualTo(body(KEYS.get(3)));
      assertThat(owner.server.openLoans()).isZero();
      assertThat(owner.served.get(ServerCount.CHUNK_COPIED)).isEqualTo(4);
    }
  }

  @Test
  void plainReqClient_withoutHandshake_isToldToShakeHands() throws Exception {
    try (RawClient plain = RawClient.req(owner.server.lookupAddress())) {
      BatchedLookupAndGetMsg foreign =
          new BatchedLookupAndGetMsg("l", ME, List.of(KEYS.getFirst().toString()), List.of(0L));
      assertThat(plain.ask(P2PErrorMsg.class, foreign).errorCode()).isEqualTo(3);
    }
  }

  @Test
  void done_ofALoanThatIsNot_isCountedAndHasNoReply() {
    lookup.tell(new BatchedGetDoneMsg(77), List.of());
    await()
        .untilAsserted(() -> assertThat(owner.served.get(ServerCount.UNKNOWN_LOAN)).isEqualTo(1));
    assertThat(lookup.receive(Duration.ofMillis(50))).isNull();
  }

  @Test
  void garbage_atEitherDoor_isAnErrorAndTheDoorStaysOpen() {
    byte[] health = new MessageCodec().encode(new HealthWorkerMsg("e"));
    for (RawClient door : List.of(init, lookup)) {
      for (byte[] garbage :
          List.of(new byte[] {(byte) 0xc1}, new byte[] {1}, new byte[] {(byte) 0x81, 1}, health)) {
        door.tellRaw(new byte[] {9}, new byte[0], garbage);
        assertThat(door.answer(P2PErrorMsg.class).message().errorCode())
            .isEqualTo(P2PErrorMsg.UNKNOWN_MESSAGE);
      }
      byte[] empty = new byte[0];
      for (byte[][] withoutPayload :
          new byte[][][] {
            {empty}, {{1}, empty}, {empty, empty}, {{9}, empty, empty}, {{9}, empty, health, empty}
          }) {
        door.tellRaw(withoutPayload);
        assertThat(door.answer(P2PErrorMsg.class).message().errorCode())
            .isEqualTo(P2PErrorMsg.UNKNOWN_MESSAGE);
      }
    }
    assertThat(owner.served.get(ServerCount.BAD_FRAME)).isEqualTo(18);
    assertThat(introduce(4096, "zmq").channel()).isEqualTo("zmq");
    assertThat(lookup.ask(BatchedLookupAndGetRetMsg.class, get(MY_EPOCH, 100)).numHitChunks())
        .isEqualTo(4);
  }

  @Test
  void malformedKey_isAnError() {
    introduce(4096, "zmq");
    BatchedLookupAndGetMsg get =
        new BatchedLookupAndGetMsg("l", ME, List.of("no key"), List.of(), MY_EPOCH, 100L);
    P2PErrorMsg error = lookup.ask(P2PErrorMsg.class, get);
    assertThat(error.errorCode()).isEqualTo(P2PErrorMsg.UNKNOWN_MESSAGE);
    assertThat(error.detail()).contains("no key");
  }

  @Test
  void frame_thatIsTooLong_costsItsSenderTheConnectionAndNobodyElse() throws Exception {
    stop();
    use(TestAgent.named("owner").sockets(SocketSettings.DEFAULT.withMessages(100, 64 << 10, 100)));
    try (RawClient rude = RawClient.dealer(owner.server.lookupAddress())) {
      rude.tellRaw(new byte[0], new byte[128 << 10]);
      assertThat(rude.receive(Duration.ofMillis(300))).isNull();
    }
    introduce(4096, "zmq");
    assertThat(lookup.ask(BatchedLookupAndGetRetMsg.class, get(MY_EPOCH, 100)).numHitChunks())
        .isEqualTo(4);
  }

  @Test
  void manyShortLivedClients_leaveNothingBehind() throws Exception {
    introduce(4096, "zmq");
    for (int i = 0; i < 60; i++) {
      try (RawClient one = RawClient.dealer(owner.server.lookupAddress())) {
        one.ask(BatchedLookupAndGetRetMsg.class, get(MY_EPOCH, 100));
      }
    }
    await()
        .atMost(Duration.ofSeconds(10))
        .untilAsserted(() -> assertThat(owner.server.openLoans()).isZero());
    owner.requireSettled();
  }

  @Test
  void start_onATakenPort_namesIt() {
    String taken = "tcp://" + owner.address();
    PeerServerSettings settings =
        new PeerServerSettings(
            SocketSettings.DEFAULT,
            taken,
            "tcp://127.0.0.1:0",
            "127.0.0.1",
            1,
            1,
            1,
            1,
            Duration.ofSeconds(1),
            1,
            new PutLimits(
                1, Duration.ofSeconds(1), new PullLimits(1, 1, 1), Duration.ofSeconds(1), 1, 1));
    PeerServer second =
        new PeerServer(
            owner.self,
            settings,
            owner.cache,
            owner.client,
            owner.sockets,
            new MessageCodec(),
            owner.served,
            System::nanoTime);

    assertThatThrownBy(second::start).isInstanceOf(IOException.class).hasMessageContaining(taken);
  }
}
