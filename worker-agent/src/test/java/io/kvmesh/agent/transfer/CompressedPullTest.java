package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.ChunkChecksum;
import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.CompressionMethod;
import io.kvmesh.agent.cache.RemovalCause;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.control.PackOutcome;
import io.kvmesh.common.wire.handshake.KvmeshInitRequest;
import io.kvmesh.common.wire.handshake.KvmeshInitResponse;
import io.kvmesh.common.wire.peer.BatchedGetDoneMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetRetMsg;
import io.kvmesh.common.zmq.CurveKeys;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.SocketSettings;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Compressed chunks go to peers as they lie, and nothing that a peer says of them is believed. */
@Timeout(90)
class CompressedPullTest {

  private static final Duration LONG = Duration.ofSeconds(20);
  private static final int PAGE = FakePeer.PAGE;
  private static final List<ChunkKey> KEYS = TestAgent.keys(1, 4);
  private static final Set<CompressionMethod> ALL = EnumSet.allOf(CompressionMethod.class);

  private TestAgent owner;
  private TestAgent asker;

  private static TestAgentBuilder agent(String name) {
    return TestAgent.named(name).connectTimeout(LONG).packedBytes(1 << 20);
  }

  @BeforeEach
  void start() throws IOException {
    use(agent("owner"), agent("asker"));
  }

  private void use(TestAgentBuilder one, TestAgentBuilder other) throws IOException {
    owner = one.start();
    asker = other.start();
  }

  @AfterEach
  void stop() {
    for (TestAgent agent : List.of(owner, asker)) {
      agent.requireSettled();
      agent.close();
    }
  }

  /** Stores all, and compresses them but for the last. */
  private void storeCompressed(CompressionMethod method) {
    owner.store(KEYS);
    for (ChunkKey key : KEYS.subList(0, 3)) {
      assertThat(owner.cache.packer().pack(key, method, 0).outcome())
          .isEqualTo(PackOutcome.COMPRESSED);
    }
  }

  private void requireWentCompressed() {
    assertThat(owner.served.get(ServerCount.CHUNK_SENT)).isEqualTo(4);
    assertThat(owner.served.get(ServerCount.CHUNK_COMPRESSED)).isEqualTo(3);
    assertThat(asker.pulled.get(PullCount.CHUNK_COMPRESSED)).isEqualTo(3);
    long saved = owner.served.get(ServerCount.BYTE_SAVED);
    assertThat(saved).isBetween(3L * PAGE / 2, 3L * PAGE);
    assertThat(asker.pulled.get(PullCount.BYTE_SAVED)).isEqualTo(saved);
    assertThat(owner.served.get(ServerCount.BYTE_SENT)).isEqualTo(4L * PAGE - saved);
    assertThat(owner.cache.stats().packed().chunks()).isEqualTo(3);
    assertThat(owner.cache.stats().packed().decompressed()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void compressedChunks_goAsTheyLie_besideOthers(CompressionMethod method) throws Exception {
    storeCompressed(method);
    assertThat(asker.pull(owner.address(), KEYS, LONG)).isEqualTo(new PullOutcome.Hit(4));
    assertThat(asker.resident(KEYS)).isEqualTo(4);
    requireWentCompressed();
  }

  @Test
  void sealedFrames_holdThemToo() throws Exception {
    stop();
    byte[] secret = new byte[32];
    Arrays.fill(secret, (byte) 1);
    SocketSettings keys = SocketSettings.DEFAULT.withKeys(Optional.of(CurveKeys.of(secret)));
    use(agent("owner").sockets(keys), agent("asker").sockets(keys));
    storeCompressed(CompressionMethod.ZSTD);
    assertThat(asker.pull(owner.address(), KEYS, LONG)).isEqualTo(new PullOutcome.Hit(4));
    requireWentCompressed();
  }

  @Test
  void overSharedMemory_theyAreWrittenBack(@TempDir Path directory) throws Exception {
    stop();
    use(
        agent("owner").file(directory.resolve("owner")),
        agent("asker").file(directory.resolve("asker")));
    storeCompressed(CompressionMethod.LZ4);
    assertThat(asker.pull(owner.address(), KEYS, LONG)).isEqualTo(new PullOutcome.Hit(4));
    assertThat(owner.served.get(ServerCount.CHUNK_SHARED)).isEqualTo(4);
    assertThat(owner.served.get(ServerCount.CHUNK_COMPRESSED)).isZero();
    assertThat(owner.cache.stats().packed().decompressed()).isEqualTo(3);
  }

  private BatchedLookupAndGetMsg get(List<ChunkKey> keys) {
    return new BatchedLookupAndGetMsg(
        "l", "10.0.0.9:1", keys.stream().map(ChunkKey::toString).toList(), List.of(), 55L, 100L);
  }

  private void introduce(RawClient init, @Nullable List<String> compression) {
    KvmeshInitRequest mine =
        new KvmeshInitRequest(
            1,
            "10.0.0.9:1",
            "me",
            0,
            55,
            PAGE,
            TestAgent.TOKENS,
            List.of(Channels.ZMQ),
            compression);
    assertThat(init.ask(KvmeshInitResponse.class, mine).refusal()).isNull();
  }

  @Test
  void peerThatKnowsNoMethodOfTheirs_getsBodies() throws Exception {
    storeCompressed(CompressionMethod.ZSTD);
    try (RawClient init = RawClient.dealer(owner.server.initAddress());
        RawClient lookup = RawClient.dealer(owner.server.lookupAddress())) {
      for (List<String> told :
          Arrays.<@Nullable List<String>>asList(null, List.of(), List.of("lz4", "cachegen"))) {
        introduce(init, told);
        RawClient.Answer<BatchedLookupAndGetRetMsg> answer =
            lookup.askForAll(BatchedLookupAndGetRetMsg.class, get(KEYS), List.of());
        assertThat(answer.message().compressedLengths()).isNull();
        assertThat(answer.message().compressedBy()).isNull();
        assertThat(answer.bodies()).hasSize(4).allMatch(body -> body.length == PAGE);
      }
    }
    assertThat(owner.served.get(ServerCount.CHUNK_COMPRESSED)).isZero();
    assertThat(owner.cache.stats().packed().decompressed()).isEqualTo(3);
  }

  @Test
  void loanOfACompressedBody_lastsWhateverBecomesOfTheChunk() throws Exception {
    storeCompressed(CompressionMethod.ZSTD);
    try (RawClient init = RawClient.dealer(owner.server.initAddress());
        RawClient lookup = RawClient.dealer(owner.server.lookupAddress())) {
      introduce(init, List.of("zstd"));
      BatchedLookupAndGetRetMsg reply =
          lookup.ask(BatchedLookupAndGetRetMsg.class, get(KEYS.subList(0, 2)));
      assertThat(reply.compressedBy()).containsExactly("zstd", "zstd");
      assertThat(owner.server.bytesOnLoan())
          .isEqualTo(
              Objects.requireNonNull(reply.compressedLengths()).stream().mapToInt(i -> i).sum());
      assertThat(owner.resident(KEYS.subList(0, 1))).as("written back").isEqualTo(1);
      assertThat(owner.cache.remove(KEYS.get(0), RemovalCause.REMOVED)).isFalse();
      assertThat(owner.cache.withdraw(KEYS.get(1), RemovalCause.REMOVED)).isTrue();
      assertThat(owner.cache.stats().leasedChunks()).isPositive();
      lookup.tell(new BatchedGetDoneMsg(Objects.requireNonNull(reply.loanId())), List.of());
    }
  }

  /** The compressed form of the body of a request's first key. */
  private static byte[] compressed(TestAgent by, ChunkKey key, CompressionMethod method) {
    by.store(List.of(key));
    assertThat(by.cache.packer().pack(key, method, 0).outcome()).isEqualTo(PackOutcome.COMPRESSED);
    try (ChunkLease lease = by.cache.leasePrefix(List.of(key), ALL)) {
      return lease.stored(0).toArray(ValueLayout.JAVA_BYTE);
    }
  }

  private static BatchedLookupAndGetRetMsg reply(int length, String method) {
    byte[] body = FakePeer.body(KEYS.getFirst().toString());
    return new BatchedLookupAndGetRetMsg(
        1,
        FakePeer.EPOCH,
        1L,
        List.of(PAGE),
        List.of(TestAgent.TOKENS),
        List.of(ChunkChecksum.of(MemorySegment.ofArray(body))),
        null,
        null,
        List.of(length),
        List.of(method));
  }

  /** The next holder makes good for it, and no page is lost. */
  private PullOutcome pull(BatchedLookupAndGetRetMsg reply, byte[] frame) throws Exception {
    List<ChunkKey> one = KEYS.subList(0, 1);
    try (FakePeer liar =
            FakePeer.that((it, to, get) -> it.reply(to, reply, List.of(Frame.of(frame))));
        FakePeer good = FakePeer.that((it, to, get) -> it.give(to, get, get.keys().size()))) {
      PullOutcome alone = asker.pull(liar.address(), one, LONG);
      if (!(alone instanceof PullOutcome.Hit)) {
        assertThat(asker.resident(one)).isZero();
        PullOutcome both =
            asker.pull(
                List.of(new PullSource(liar.address(), 1), new PullSource(good.address(), 1)),
                one,
                LONG);
        assertThat(both).isEqualTo(new PullOutcome.Hit(1));
      }
      asker.requireSettled();
      assertThat(asker.resident(one)).isEqualTo(1);
      asker.cache.clear();
      return alone;
    }
  }

  @ParameterizedTest
  @EnumSource
  void liesOfTheBody_areFaultsOfThePeer(CompressionMethod method) throws Exception {
    ChunkKey key = KEYS.getFirst();
    byte[] right = compressed(owner, key, method);
    String name = method.text();
    assertThat(pull(reply(right.length, name), right)).isEqualTo(new PullOutcome.Hit(1));
    PullOutcome malformed = new PullOutcome.Broken(0, "compression");

    byte[] cut = Arrays.copyOf(right, right.length - 3);
    assertThat(pull(reply(cut.length, name), cut)).isEqualTo(malformed);
    byte[] padded = Arrays.copyOf(right, right.length + 7);
    assertThat(pull(reply(padded.length, name), padded)).isEqualTo(malformed);
    byte[] noise = new byte[100];
    Arrays.fill(noise, (byte) 0x5a);
    assertThat(pull(reply(noise.length, name), noise)).isEqualTo(malformed);
    assertThat(pull(reply(right.length, method == CompressionMethod.ZSTD ? "lz4" : "zstd"), right))
        .isEqualTo(malformed);
    assertThat(asker.pulled.get(PullCount.MALFORMED_CHUNK)).isGreaterThanOrEqualTo(4);
  }

  @ParameterizedTest
  @EnumSource
  void bodyOfAnotherLength_orOfAnotherChunk_isRefused(CompressionMethod method) throws Exception {
    stop();
    use(agent("owner").pages(8, 64 * PAGE), agent("asker"));
    byte[] bomb = compressed(owner, KEYS.getFirst(), method);
    assertThat(bomb).hasSizeLessThan(PAGE);
    assertThat(pull(reply(bomb.length, method.text()), bomb))
        .isEqualTo(new PullOutcome.Broken(0, "compression"));
    stop();
    use(agent("owner"), agent("asker"));
    byte[] other = compressed(owner, KEYS.get(2), method);
    assertThat(pull(reply(other.length, method.text()), other))
        .isEqualTo(new PullOutcome.Broken(0, "checksum"));
  }

  @Test
  void liesOfLengths_areBrokenReplies() throws Exception {
    byte[] right = compressed(owner, KEYS.getFirst(), CompressionMethod.ZSTD);
    int length = right.length;
    for (BatchedLookupAndGetRetMsg lie :
        List.of(
            reply(length + 1, "zstd"),
            reply(length - 1, "zstd"),
            reply(-1, "zstd"),
            reply(PAGE, "zstd"),
            reply(Integer.MAX_VALUE, "zstd"),
            reply(0, "zstd"),
            reply(length, ""),
            reply(length, "gzip"))) {
      assertThat(pull(lie, right)).as(lie.toString()).isInstanceOf(PullOutcome.Broken.class);
    }
    assertThat(asker.pulled.get(PullCount.CHUNK_COMPRESSED)).isZero();
  }
}
