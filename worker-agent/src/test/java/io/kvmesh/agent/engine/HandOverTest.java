package io.kvmesh.agent.engine;

import static io.kvmesh.agent.engine.TestDoor.PAGE;
import static io.kvmesh.agent.engine.TestDoor.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.transfer.RawClient;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.engine.ClaimOutcome;
import io.kvmesh.common.wire.engine.CloseSessionMsg;
import io.kvmesh.common.wire.engine.CloseSessionRetMsg;
import io.kvmesh.common.wire.engine.EngineAbortMsg;
import io.kvmesh.common.wire.engine.EngineAbortRetMsg;
import io.kvmesh.common.wire.engine.EngineClaimMsg;
import io.kvmesh.common.wire.engine.EngineClaimRetMsg;
import io.kvmesh.common.wire.engine.EngineCommitMsg;
import io.kvmesh.common.wire.engine.EngineErrorCode;
import io.kvmesh.common.wire.engine.EngineErrorMsg;
import io.kvmesh.common.wire.engine.EngineHandOverMsg;
import io.kvmesh.common.wire.engine.EngineHandOverRetMsg;
import io.kvmesh.common.wire.engine.EngineLeaseMsg;
import io.kvmesh.common.wire.engine.EngineLeaseRetMsg;
import io.kvmesh.common.wire.engine.EngineReleaseMsg;
import io.kvmesh.common.wire.engine.EngineReleaseRetMsg;
import io.kvmesh.common.wire.engine.EngineStoreRetMsg;
import io.kvmesh.common.wire.engine.StoreOutcome;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Chunks that an engine writes and reads where they lie. */
@Timeout(60)
class HandOverTest {

  private static final int PAGES = 16;
  private static final int SHARE = 8;
  private static final Duration IDLE = Duration.ofMinutes(2);

  private final Counters<EngineCount> counters = new Counters<>(EngineCount.class);

  /** By which the door's clock is ahead. */
  private final AtomicLong skippedNanos = new AtomicLong();

  @TempDir private Path folder;
  private TestAgent agent;
  private NativeDoor door;
  private RawClient client;
  private final Arena mapped = Arena.ofShared();

  @BeforeEach
  void start() throws IOException {
    agent = TestAgent.named("me").pages(PAGES, PAGE).file(folder.resolve("arena")).start();
    EngineSettings settings = TestDoor.settings(IDLE, Duration.ofMinutes(1), 4, 8, Duration.ZERO);
    door =
        TestDoor.start(
            agent,
            TestDoor.handingOver(settings, agent, folder.resolve("socket"), SHARE),
            (keyspace, hashes, atMost) -> new LookupOutcome.Miss(),
            counters,
            () -> System.nanoTime() + skippedNanos.get());
    client = RawClient.dealer("127.0.0.1:" + door.port());
  }

  @AfterEach
  void stop() {
    client.close();
    door.close();
    agent.requireSettled();
    agent.close();
    mapped.close();
  }

  private static SocketChannel hold(EngineHandOverRetMsg told, long session, int answer)
      throws IOException {
    SocketChannel line = SocketChannel.open(UnixDomainSocketAddress.of(told.socket()));
    line.write(ByteBuffer.allocate(Long.BYTES).putLong(session).flip());
    ByteBuffer answered = ByteBuffer.allocate(1);
    line.read(answered);
    assertThat(answered.get(0)).isEqualTo((byte) answer);
    return line;
  }

  private EngineHandOverRetMsg handOver(long session) {
    return client.ask(EngineHandOverRetMsg.class, new EngineHandOverMsg(session));
  }

  private MemorySegment map(EngineHandOverRetMsg told) throws IOException {
    try (FileChannel file =
        FileChannel.open(
            Path.of(told.arena()), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return file.map(FileChannel.MapMode.READ_WRITE, 0, file.size(), mapped);
    }
  }

  private static EngineClaimMsg claimOf(long session, List<ChunkKey> keys) {
    return new EngineClaimMsg(
        session,
        texts(keys),
        Collections.nCopies(keys.size(), PAGE),
        Collections.nCopies(keys.size(), TestAgent.TOKENS));
  }

  private EngineClaimRetMsg claim(long session, List<ChunkKey> keys) {
    return client.ask(EngineClaimRetMsg.class, claimOf(session, keys));
  }

  private EngineLeaseRetMsg lease(long session, List<ChunkKey> keys) {
    return client.ask(EngineLeaseRetMsg.class, new EngineLeaseMsg(session, 0, texts(keys), 1000));
  }

  private static void write(MemorySegment arena, EngineClaimRetMsg claimed, List<ChunkKey> keys) {
    for (int i = 0; i < keys.size(); i++) {
      TestAgent.fill(arena.asSlice(claimed.offsets().get(i), PAGE), keys.get(i));
    }
  }

  @Test
  void whatIsWrittenInPlaceAndCommitted_isReadInPlace() throws IOException {
    long session = TestDoor.open(client);
    EngineHandOverRetMsg told = handOver(session);
    assertThat(told.maxChunks()).isEqualTo(SHARE);
    List<ChunkKey> keys = TestAgent.keys(1, 3);
    try (SocketChannel line = hold(told, session, 1)) {
      MemorySegment arena = map(told);
      EngineClaimRetMsg claimed = claim(session, keys);
      assertThat(claimed.outcomes()).containsOnly(ClaimOutcome.CLAIMED);
      assertThat(agent.resident(keys)).as("before the commit").isZero();
      write(arena, claimed, keys);
      EngineStoreRetMsg stored =
          client.ask(
              EngineStoreRetMsg.class, new EngineCommitMsg(session, claimed.claimId(), 0, false));
      assertThat(stored.outcomes()).hasSize(3).containsOnly(StoreOutcome.STORED);
      assertThat(agent.resident(keys)).isEqualTo(3);

      EngineLeaseRetMsg leased = lease(session, TestAgent.keys(1, 4));

      assertThat(leased.numLocal()).isEqualTo(3);
      assertThat(leased.offsets()).isEqualTo(claimed.offsets());
      assertThat(leased.lengths()).containsOnly(PAGE);
      for (int i = 0; i < 3; i++) {
        long unit = leased.offsets().get(i) / 4096 * Integer.BYTES;
        assertThat(arena.get(ValueLayout.JAVA_INT, told.generationsOffset() + unit))
            .isEqualTo(leased.generations().get(i));
      }
      assertThat(agent.cache.stats().leasedChunks()).isEqualTo(3);
      assertThat(
              client
                  .ask(EngineReleaseRetMsg.class, new EngineReleaseMsg(session, leased.leaseId()))
                  .releasedChunks())
          .isEqualTo(3);
      assertThat(line.isOpen()).isTrue();
    }
  }

  @Test
  void endOfTheUnixConnection_freesClaimsAndLeases_andNothingElseDoes() throws Exception {
    agent.store(TestAgent.keys(1, 2));
    long session = TestDoor.open(client);
    SocketChannel line = hold(handOver(session), session, 1);
    assertThat(claim(session, TestAgent.keys(50, 4)).claimId()).isPositive();
    assertThat(lease(session, TestAgent.keys(1, 2)).numLocal()).isEqualTo(2);

    client.close();
    try (RawClient another = RawClient.dealer("127.0.0.1:" + door.port())) {
      // Sessions that came later have become idle for too long, one after the other.
      for (long idle = 1; idle <= 3; idle++) {
        long ended = idle;
        TestDoor.open(another);
        skippedNanos.addAndGet(IDLE.toNanos());
        await().until(() -> counters.get(EngineCount.SESSION_IDLE) == ended);
      }
      assertThat(agent.cache.stats().pendingChunks()).isEqualTo(4);
      assertThat(agent.cache.stats().leasedChunks()).isEqualTo(2);
      EngineReleaseMsg unknown = new EngineReleaseMsg(session, 77);
      assertThat(another.ask(EngineErrorMsg.class, unknown).code())
          .as("the session may be used over another connection")
          .isEqualTo(EngineErrorCode.UNKNOWN_LEASE);

      line.close();
      agent.requireSettled();
      assertThat(another.ask(EngineErrorMsg.class, unknown).code())
          .isEqualTo(EngineErrorCode.UNKNOWN_SESSION);
      assertThat(counters.get(EngineCount.LIFELINE_ENDED)).isEqualTo(1);
    }
  }

  @Test
  void closingTheSession_endsTheConnection() throws Exception {
    long session = TestDoor.open(client);
    try (SocketChannel line = hold(handOver(session), session, 1)) {
      claim(session, TestAgent.keys(50, 4));
      assertThat(
              client.ask(CloseSessionRetMsg.class, new CloseSessionMsg(session)).releasedChunks())
          .isEqualTo(4);
      assertThat(line.read(ByteBuffer.allocate(1))).isEqualTo(-1);
    }
  }

  @Test
  void abortedClaims_areFreeAgain_andGoneForGood() throws Exception {
    long session = TestDoor.open(client);
    try (SocketChannel line = hold(handOver(session), session, 1)) {
      EngineClaimRetMsg claimed = claim(session, TestAgent.keys(50, 4));
      EngineAbortMsg abort = new EngineAbortMsg(session, claimed.claimId());
      assertThat(client.ask(EngineAbortRetMsg.class, abort).abortedChunks()).isEqualTo(4);
      assertThat(client.ask(EngineErrorMsg.class, abort).code())
          .isEqualTo(EngineErrorCode.UNKNOWN_LEASE);
      assertThat(
              client
                  .ask(
                      EngineErrorMsg.class,
                      new EngineCommitMsg(session, claimed.claimId(), 0, false))
                  .code())
          .isEqualTo(EngineErrorCode.UNKNOWN_LEASE);
      assertThat(line.isOpen()).isTrue();
      assertThat(agent.cache.stats().pendingChunks()).isZero();
    }
  }

  @Test
  void commitWithHold_keepsTheChunksInALease() throws Exception {
    agent.store(TestAgent.keys(1, 1));
    long session = TestDoor.open(client);
    try (SocketChannel line = hold(handOver(session), session, 1)) {
      long lease = lease(session, TestAgent.keys(1, 1)).leaseId();
      long claim = claim(session, TestAgent.keys(50, 3)).claimId();
      assertThat(
              client
                  .ask(EngineErrorMsg.class, new EngineCommitMsg(session, claim, lease + 9, true))
                  .code())
          .isEqualTo(EngineErrorCode.UNKNOWN_LEASE);
      assertThat(agent.cache.stats().pendingChunks()).as("the claim stays").isEqualTo(3);

      EngineStoreRetMsg stored =
          client.ask(EngineStoreRetMsg.class, new EngineCommitMsg(session, claim, lease, true));

      assertThat(stored.leaseId()).isEqualTo(lease);
      assertThat(stored.outcomes()).hasSize(3).containsOnly(StoreOutcome.STORED);
      assertThat(agent.cache.stats().leasedChunks()).isEqualTo(4);
      claim = claim(session, TestAgent.keys(60, 4)).claimId();
      stored = client.ask(EngineStoreRetMsg.class, new EngineCommitMsg(session, claim, 0, true));
      assertThat(stored.leaseId()).isNotIn(0L, lease);
      assertThat(client.ask(EngineErrorMsg.class, claimOf(session, TestAgent.keys(70, 1))).code())
          .as("held chunks count for the share")
          .isEqualTo(EngineErrorCode.OVER_SHARE);
      assertThat(
              client
                  .ask(EngineReleaseRetMsg.class, new EngineReleaseMsg(session, lease))
                  .releasedChunks())
          .isEqualTo(4);
      assertThat(line.isOpen()).isTrue();
    }
  }

  @Test
  void overItsShare_aSessionGetsNoMoreAndIsShown() throws Exception {
    agent.store(TestAgent.keys(1, 4));
    long session = TestDoor.open(client);
    try (SocketChannel line = hold(handOver(session), session, 1)) {
      EngineClaimRetMsg claimed = claim(session, TestAgent.keys(50, 6));
      assertThat(client.ask(EngineErrorMsg.class, claimOf(session, TestAgent.keys(60, 3))).code())
          .isEqualTo(EngineErrorCode.OVER_SHARE);
      EngineLeaseMsg tooMuch = new EngineLeaseMsg(session, 0, texts(TestAgent.keys(1, 4)), 1000);
      assertThat(client.ask(EngineErrorMsg.class, tooMuch).code())
          .isEqualTo(EngineErrorCode.OVER_SHARE);
      assertThat(lease(session, TestAgent.keys(1, 2)).numLocal()).isEqualTo(2);
      await()
          .untilAsserted(
              () ->
                  assertThat(door.handOvers())
                      .containsExactly(new HandOverState("test", 6, 2, SHARE, true, 2)));
      assertThat(counters.get(EngineCount.OVER_SHARE)).isEqualTo(2);

      client.ask(EngineAbortRetMsg.class, new EngineAbortMsg(session, claimed.claimId()));
      assertThat(claim(session, TestAgent.keys(60, 3)).claimId()).isPositive();
      assertThat(line.isOpen()).isTrue();
    }
  }

  @Test
  void withoutAConnection_nothingIsHandedOver() throws Exception {
    long session = TestDoor.open(client);
    assertThat(client.ask(EngineErrorMsg.class, claimOf(session, TestAgent.keys(1, 1))).code())
        .isEqualTo(EngineErrorCode.BAD_REQUEST);
    EngineHandOverRetMsg told = handOver(session);
    assertThat(client.ask(EngineErrorMsg.class, claimOf(session, TestAgent.keys(1, 1))).code())
        .isEqualTo(EngineErrorCode.BAD_REQUEST);
    try (SocketChannel unknown = hold(told, session + 1, 0);
        SocketChannel line = hold(told, session, 1);
        SocketChannel second = hold(told, session, 0)) {
      assertThat(unknown.read(ByteBuffer.allocate(1))).isEqualTo(-1);
      assertThat(second.read(ByteBuffer.allocate(1))).isEqualTo(-1);
      assertThat(line.isOpen()).isTrue();
      assertThat(counters.get(EngineCount.LIFELINE_REFUSED)).isEqualTo(2);
    }
  }
}
