package io.kvmesh.agent.transfer;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.cache.ChunkChecksum;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.handshake.KvmeshInitRequest;
import io.kvmesh.common.wire.handshake.KvmeshInitResponse;
import io.kvmesh.common.wire.handshake.P2PInitSideMsg;
import io.kvmesh.common.wire.handshake.SealTerms;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetRetMsg;
import io.kvmesh.common.wire.peer.P2PErrorMsg;
import io.kvmesh.common.wire.peer.PeerReply;
import io.kvmesh.common.zmq.CurveKeys;
import io.kvmesh.common.zmq.Envelope;
import io.kvmesh.common.zmq.EnvelopeException;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.SocketSettings;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Agents of one fleet's key, and others. */
@Timeout(90)
class SealedPeerTest {

  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Duration SHORT = Duration.ofMillis(800);
  private static final List<ChunkKey> KEYS = TestAgent.keys(1, 40);

  private final MessageCodec codec = new MessageCodec();
  private TestAgent owner;

  private static SocketSettings keys(int value) {
    byte[] secret = new byte[32];
    Arrays.fill(secret, (byte) value);
    return SocketSettings.DEFAULT.withKeys(Optional.of(CurveKeys.of(secret)));
  }

  private static TestAgentBuilder agent(String name) {
    return TestAgent.named(name).sockets(keys(1)).connectTimeout(LONG);
  }

  @BeforeEach
  void start() throws IOException {
    owner = agent("owner").start();
    owner.store(KEYS);
  }

  @AfterEach
  void stop() {
    owner.requireSettled();
    owner.close();
  }

  @Test
  void agentWithTheKey_pulls() throws Exception {
    try (TestAgent asker = agent("asker").start()) {
      assertThat(asker.pull(owner.address(), KEYS, LONG)).isEqualTo(new PullOutcome.Hit(40));
      assertThat(asker.resident(KEYS)).isEqualTo(40);
      asker.requireSettled();
      owner.requireSettled();
      assertThat(owner.served.get(ServerCount.UNSEALED)).isZero();
    }
  }

  @Test
  void pagesLongerThanAFrame_arePulledWhole() throws Exception {
    for (int page : new int[] {1 << 20, (1 << 20) - 32, 2 * (1 << 20) + 4096}) {
      try (TestAgent large = agent("large").pages(4, page).start();
          TestAgent asker = agent("asker").pages(4, page).getBytes(8 << 20).start()) {
        List<ChunkKey> keys = KEYS.subList(0, 3);
        large.store(keys);
        assertThat(asker.pull(large.address(), keys, LONG)).isEqualTo(new PullOutcome.Hit(3));
        assertThat(asker.resident(keys)).isEqualTo(3);
        asker.requireSettled();
        large.requireSettled();
      }
    }
  }

  @Test
  void sharedMemory_isUsedWithKeysToo(@TempDir Path directory) throws Exception {
    try (TestAgent one = agent("one").file(directory.resolve("one")).start();
        TestAgent other = agent("other").file(directory.resolve("other")).start()) {
      one.store(KEYS);
      assertThat(other.pull(one.address(), KEYS, LONG)).isEqualTo(new PullOutcome.Hit(40));
      assertThat(other.client.traffic().figures(Channels.SHM).bytes()).isEqualTo(40 * 4096);
      other.requireSettled();
      one.requireSettled();
    }
  }

  @Test
  void agentWithoutTheKey_getsNothing() throws Exception {
    for (SocketSettings settings : List.of(SocketSettings.DEFAULT, keys(2))) {
      try (TestAgent stranger =
          TestAgent.named("s").sockets(settings).connectTimeout(SHORT).start()) {
        assertThat(stranger.pull(owner.address(), KEYS, LONG))
            .isInstanceOf(PullOutcome.Unavailable.class);
        stranger.requireSettled();
      }
    }
    assertThat(owner.served.get(ServerCount.HANDSHAKE)).isZero();
    assertThat(owner.served.get(ServerCount.HANDSHAKE_REFUSED)).isZero();
  }

  @Test
  void clientThatHoldsToThePlainProtocol_getsNothingAtEitherPort() throws Exception {
    try (RawClient init = RawClient.dealer(owner.address());
        RawClient lookup = RawClient.dealer(owner.server.lookupAddress());
        RawClient req = RawClient.req(owner.server.lookupAddress())) {
      init.tell(introduction(), List.of());
      init.tell(new P2PInitSideMsg(), List.of());
      assertThat(init.receive(SHORT)).isNull();
      lookup.tell(get(), List.of());
      lookup.tellRaw(new byte[] {}, new byte[] {(byte) 0xc1});
      awaitUnsealed(2);
      assertThat(lookup.receive(SHORT)).isNull();
      req.tell(get(), List.of());
      awaitUnsealed(3);
      assertThat(req.receive(SHORT)).isNull();
    }
    assertThat(owner.served.get(ServerCount.GET)).isZero();
    assertThat(owner.server.openLoans()).isZero();
  }

  /** Waits until so many frames came that weren't sealed as they must be. */
  private void awaitUnsealed(long frames) {
    await()
        .untilAsserted(() -> assertThat(owner.served.get(ServerCount.UNSEALED)).isEqualTo(frames));
  }

  private static KvmeshInitRequest introduction() {
    return new KvmeshInitRequest(
        1, "me:1", "me", 0, 5, 4096, TestAgent.TOKENS, List.of(Channels.ZMQ));
  }

  private static BatchedLookupAndGetMsg get() {
    return new BatchedLookupAndGetMsg(
        "l", "me:1", List.of(KEYS.getFirst().toString()), List.of(), 5L, 100L);
  }

  private SealTerms terms() throws IOException {
    try (RawClient init = RawClient.dealer(owner.address(), keys(1))) {
      KvmeshInitResponse agreed = init.ask(KvmeshInitResponse.class, introduction());
      return requireNonNull(agreed.seal());
    }
  }

  private static byte[] id(long requestId) {
    return ByteBuffer.allocate(Long.BYTES).putLong(requestId).array();
  }

  private static void tell(RawClient lookup, long requestId, byte[] sealed) {
    lookup.tellRaw(id(requestId), new byte[] {}, sealed);
  }

  private byte[] sealedGet(FrameSeal seal, long requestId) {
    return seal.seal(requestId, 0, ByteBuffer.wrap(codec.encode(get())));
  }

  @Test
  void sealedRequest_isAnsweredOnce_howeverOftenItComes() throws Exception {
    FrameSeal seal = FrameSeal.ofRequester(terms());
    try (RawClient lookup = RawClient.dealer(owner.server.lookupAddress());
        RawClient thief = RawClient.dealer(owner.server.lookupAddress())) {
      byte[] request = sealedGet(seal, 9);
      tell(lookup, 9, request);
      Multipart answer = requireNonNull(lookup.receive(LONG));
      assertThat(read(answer, seal).numHitChunks()).isEqualTo(1);
      assertThat(bodyOf(answer, seal)).isEqualTo(FakePeer.body(KEYS.getFirst().toString()));
      assertThat(bodyOf(answer, seal)).as("in the clear").isNotEqualTo(last(answer));

      tell(lookup, 9, request);
      tell(thief, 9, request);
      awaitUnsealed(2);
      assertThat(lookup.receive(SHORT)).isNull();
      assertThat(thief.receive(SHORT)).isNull();
      assertThat(owner.served.get(ServerCount.GET)).isEqualTo(1);

      tell(lookup, 10, sealedGet(seal, 10));
      assertThat(read(requireNonNull(lookup.receive(LONG)), seal).numHitChunks()).isEqualTo(1);
    }
  }

  @Test
  void moreThanMayLieOnTheHeap_isAnsweredOverloaded() throws Exception {
    owner.close();
    owner = agent("owner").maxSealed(4096).start();
    owner.store(KEYS);
    FrameSeal seal = FrameSeal.ofRequester(terms());
    try (RawClient lookup = RawClient.dealer(owner.server.lookupAddress())) {
      tell(lookup, 9, sealedGet(seal, 9));
      assertThat(read(requireNonNull(lookup.receive(LONG)), seal).numHitChunks()).isEqualTo(1);
      tell(lookup, 10, sealedGet(seal, 10));
      Envelope.Content second = Envelope.split(requireNonNull(lookup.receive(LONG)));
      assertThat(codec.decode(PeerReply.class, seal.open(10, 0, second.payload())))
          .isEqualTo(new P2PErrorMsg(P2PErrorMsg.OVERLOADED, "too much is on loan"));
    }
    owner.requireSettled();
    try (TestAgent asker = agent("asker").getBytes(4096).start()) {
      assertThat(asker.pull(owner.address(), KEYS.subList(0, 1), LONG))
          .isEqualTo(new PullOutcome.Hit(1));
    }
  }

  @Test
  void sealedRequest_thatWasChanged_getsNothing() throws Exception {
    FrameSeal seal = FrameSeal.ofRequester(terms());
    try (RawClient lookup = RawClient.dealer(owner.server.lookupAddress())) {
      byte[] changed = sealedGet(seal, 9);
      changed[changed.length / 2] ^= 1;
      tell(lookup, 9, changed);
      tell(lookup, 8, sealedGet(seal, 9));
      lookup.tellRaw(new byte[] {}, sealedGet(seal, 9));
      awaitUnsealed(3);
      assertThat(lookup.receive(SHORT)).isNull();
    }
  }

  @Test
  void sealedRequest_ofASessionThatIsNotKnown_isToldToShakeHandsAndNothingElse() throws Exception {
    SealTerms real = terms();
    FrameSeal seal = FrameSeal.ofRequester(new SealTerms(real.session() + 1, real.key()));
    try (RawClient lookup = RawClient.dealer(owner.server.lookupAddress())) {
      tell(lookup, 9, sealedGet(seal, 9));
      Multipart answer = requireNonNull(lookup.receive(LONG));
      assertThat(last(answer)).isEqualTo(codec.encode(SealedSessions.UNKNOWN));
    }
  }

  @Test
  void sealedBody_thatWasChangedOrSwapped_isHarmed() throws Exception {
    SealTerms terms = terms();
    FrameSeal sealing = FrameSeal.ofOwner(terms);
    byte[] body = FakePeer.body("m@1@0@1@bfloat16");
    long checksum = ChunkChecksum.of(MemorySegment.ofArray(body));
    DeliveredChunks chunks =
        new DeliveredChunks(List.of(4096, 4096), List.of(16, 16), List.of(checksum, checksum));
    Frame first = Frame.of(sealing.seal(7, 1, ByteBuffer.wrap(body)));
    Frame second = Frame.of(sealing.seal(7, 2, ByteBuffer.wrap(body)));
    byte[] bits = second.toArray().clone();
    bits[100] ^= 1;
    assertThat(copies(terms, chunks, List.of(first, second), 7)).containsExactly(true, true);
    assertThat(copies(terms, chunks, List.of(first, Frame.of(bits)), 7))
        .containsExactly(true, false);
    assertThat(copies(terms, chunks, List.of(second, first), 7)).containsExactly(false, false);
    assertThat(copies(terms, chunks, List.of(first, first), 7)).containsExactly(true, false);
    assertThat(copies(terms, chunks, List.of(first, second), 8)).containsExactly(false, false);
  }

  private static List<Boolean> copies(
      SealTerms terms, DeliveredChunks chunks, List<Frame> frames, long requestId)
      throws BrokenReplyException {
    FrameContent content = new SealedContent(FrameSeal.ofRequester(terms).newOpener());
    Delivery delivery =
        FramedDelivery.of(
            chunks,
            new CompressedForms(chunks, List.of(), List.of()),
            new ReplyBodies(requestId, frames),
            content,
            new Counters<>(PullCount.class));
    MemorySegment target = MemorySegment.ofArray(new byte[4096]);
    try (CopyHelpers none = new CopyHelpers(0)) {
      return delivery.copyTo(List.of(target, target), none).stream()
          .map(it -> it == Delivery.Copied.RIGHT)
          .toList();
    }
  }

  private BatchedLookupAndGetRetMsg read(Multipart answer, FrameSeal seal) throws Exception {
    Envelope.Content content = Envelope.split(answer);
    long id = content.envelope().requestId().orElseThrow();
    return codec.decode(BatchedLookupAndGetRetMsg.class, seal.open(id, 0, content.payload()));
  }

  private static byte[] bodyOf(Multipart answer, FrameSeal seal) throws Exception {
    Envelope.Content content = Envelope.split(answer);
    long id = content.envelope().requestId().orElseThrow();
    return seal.open(id, 1, content.body().getFirst().toArray());
  }

  private static byte[] last(Multipart answer) throws EnvelopeException {
    return answer.frames().getLast().toArray();
  }

  @Test
  void ownerThatForgotTheSession_isGreetedAnew() throws Exception {
    try (TestAgent asker = agent("asker").start()) {
      assertThat(asker.pull(owner.address(), KEYS.subList(0, 4), LONG).chunks()).isEqualTo(4);
      for (int i = 0; i < 64; i++) {
        terms();
      }
      assertThat(asker.pull(owner.address(), KEYS, LONG)).isEqualTo(new PullOutcome.Hit(40));
      assertThat(asker.pulled.get(PullCount.HANDSHAKE)).isEqualTo(2);
      await().untilAsserted(() -> assertThat(asker.client.connections()).isEqualTo(1));
    }
  }
}
