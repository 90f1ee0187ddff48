package io.kvmesh.agent.engine;

import static io.kvmesh.agent.engine.TestDoor.PAGE;
import static io.kvmesh.agent.engine.TestDoor.texts;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.directory.Holder;
import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.transfer.RawClient;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.wire.engine.CloseSessionMsg;
import io.kvmesh.common.wire.engine.CloseSessionRetMsg;
import io.kvmesh.common.wire.engine.EngineErrorCode;
import io.kvmesh.common.wire.engine.EngineErrorMsg;
import io.kvmesh.common.wire.engine.EngineLookupMsg;
import io.kvmesh.common.wire.engine.EngineLookupRetMsg;
import io.kvmesh.common.wire.engine.EngineReleaseMsg;
import io.kvmesh.common.wire.engine.EngineReleaseRetMsg;
import io.kvmesh.common.wire.engine.EngineRequest;
import io.kvmesh.common.wire.engine.EngineRetrieveMsg;
import io.kvmesh.common.wire.engine.EngineRetrieveRetMsg;
import io.kvmesh.common.wire.engine.EngineStoreMsg;
import io.kvmesh.common.wire.engine.EngineStoreRetMsg;
import io.kvmesh.common.wire.engine.OpenSessionMsg;
import io.kvmesh.common.wire.engine.OpenSessionRetMsg;
import io.kvmesh.common.wire.engine.StoreOutcome;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the engine's door answers, and what it holds. */
@Timeout(60)
class NativeDoorTest {

  private final Counters<EngineCount> counters = new Counters<>(EngineCount.class);
  private final AtomicReference<LookupOutcome> fleet =
      new AtomicReference<>(new LookupOutcome.Miss());

  /** By which the door's clock is ahead. */
  private final AtomicLong skippedNanos = new AtomicLong();

  private volatile CountDownLatch askedAndHung = new CountDownLatch(1);
  private volatile boolean hang;
  private TestAgent agent;
  private NativeDoor door;
  private RawClient client;

  @BeforeEach
  void start() throws IOException {
    use(settings(Duration.ofMinutes(1), Duration.ofMinutes(1), 4, 8));
  }

  private static EngineSettings settings(
      Duration sessionIdle, Duration leaseLifetime, int maxSessions, int maxRequests) {
    return TestDoor.settings(sessionIdle, leaseLifetime, maxSessions, maxRequests, Duration.ZERO);
  }

  private void use(EngineSettings settings) throws IOException {
    agent = TestAgent.named("me").start();
    door =
        TestDoor.start(
            agent, settings, this::lookUp, counters, () -> System.nanoTime() + skippedNanos.get());
    client = RawClient.dealer("127.0.0.1:" + door.port());
  }

  private LookupOutcome lookUp(Keyspace keyspace, List<ChunkHash> hashes, Duration atMost)
      throws InterruptedException {
    if (hang) {
      askedAndHung.countDown();
      new CountDownLatch(1).await();
    }
    return requireNonNull(fleet.get());
  }

  @AfterEach
  void stop() {
    client.close();
    door.close();
    agent.requireSettled();
    agent.close();
  }

  private long open() {
    return TestDoor.open(client);
  }

  private static byte[] body(ChunkKey key) {
    byte[] body = new byte[PAGE];
    TestAgent.fill(MemorySegment.ofArray(body), key);
    return body;
  }

  private static List<byte[]> bodies(List<ChunkKey> keys) {
    return keys.stream().map(NativeDoorTest::body).toList();
  }

  private EngineStoreRetMsg store(long session, long lease, List<ChunkKey> keys, boolean hold) {
    EngineStoreMsg store =
        new EngineStoreMsg(
            session, lease, texts(keys), Collections.nCopies(keys.size(), TestAgent.TOKENS), hold);
    return client.askForAll(EngineStoreRetMsg.class, store, bodies(keys)).message();
  }

  private EngineErrorCode error(EngineRequest request) {
    return client.ask(EngineErrorMsg.class, request).code();
  }

  @Test
  void session_tellsEpochAndGeometry() {
    OpenSessionRetMsg opened = client.ask(OpenSessionRetMsg.class, new OpenSessionMsg(1, "test"));
    assertThat(opened.sessionId()).isPositive();
    assertThat(opened.epoch()).isEqualTo(100);
    assertThat(opened.pageBytes()).isEqualTo(PAGE);
    assertThat(opened.chunkTokens()).isEqualTo(TestAgent.TOKENS);
  }

  @Test
  void session_ofALaterFormat_isRefusedWithBothNumbers() {
    EngineErrorMsg refused = client.ask(EngineErrorMsg.class, new OpenSessionMsg(2, "test"));

    assertThat(refused.code()).isEqualTo(EngineErrorCode.BAD_REQUEST);
    assertThat(refused.error())
        .startsWith("Expected format 1 or earlier, got 2")
        .contains("upgrade this reader");
  }

  @Test
  void storedChunks_areRetrievedAsTheyWere() {
    long session = open();
    List<ChunkKey> keys = TestAgent.keys(1, 5);
    EngineStoreRetMsg stored = store(session, 0, keys, false);
    assertThat(stored.outcomes()).containsOnly(StoreOutcome.STORED);
    assertThat(stored.leaseId()).isZero();
    assertThat(stored.sequence()).isEqualTo(5);

    RawClient.Answer<EngineRetrieveRetMsg> found =
        client.askForAll(
            EngineRetrieveRetMsg.class,
            new EngineRetrieveMsg(session, 0, texts(TestAgent.keys(1, 6)), 1000),
            List.of());

    assertThat(found.message().numLocal()).isEqualTo(5);
    assertThat(found.message().numPeer()).isZero();
    assertThat(found.message().peerOutcome()).isEqualTo("miss");
    assertThat(found.message().lengths()).containsOnly(PAGE);
    assertThat(found.bodies())
        .usingElementComparator(Arrays::compare)
        .containsExactlyElementsOf(bodies(keys));
    assertThat(
            client
                .ask(
                    EngineReleaseRetMsg.class,
                    new EngineReleaseMsg(session, found.message().leaseId()))
                .releasedChunks())
        .isEqualTo(5);
  }

  @Test
  void retrieve_pullsWhatIsNotHereFromThePeerAndKeepsTheOrder() throws Exception {
    try (TestAgent owner = TestAgent.named("owner").start()) {
      List<ChunkKey> keys = TestAgent.keys(1, 6);
      owner.store(keys);
      agent.store(keys.subList(0, 2));
      agent.store(keys.subList(4, 5));
      fleet.set(
          new LookupOutcome.Found(
              List.of(new Holder("o", "LocalCPUBackend", 4, owner.address(), -1))));
      long session = open();

      RawClient.Answer<EngineRetrieveRetMsg> found =
          client.askForAll(
              EngineRetrieveRetMsg.class,
              new EngineRetrieveMsg(session, 0, texts(keys), 10_000),
              List.of());

      assertThat(found.message().numLocal()).isEqualTo(2);
      assertThat(found.message().numPeer()).isEqualTo(4);
      assertThat(found.message().peerOutcome()).isEqualTo("hit");
      assertThat(found.message().sequence()).isEqualTo(6);
      assertThat(found.bodies())
          .usingElementComparator(Arrays::compare)
          .containsExactlyElementsOf(bodies(keys));
    }
  }

  @Test
  void retrieve_namesWhyThereIsNothingMore() {
    long session = open();
    EngineRetrieveMsg retrieve =
        new EngineRetrieveMsg(session, 0, texts(TestAgent.keys(1, 1)), 500);
    fleet.set(new LookupOutcome.Unavailable("x"));
    assertThat(client.ask(EngineRetrieveRetMsg.class, retrieve).peerOutcome())
        .isEqualTo("directory_unavailable");
    fleet.set(
        new LookupOutcome.Found(List.of(new Holder("o", "LocalCPUBackend", 1, "127.0.0.1:1", -1))));
    assertThat(client.ask(EngineRetrieveRetMsg.class, retrieve).peerOutcome()).isNotEqualTo("hit");
  }

  @Test
  void lookup_tellsTheParts_andALeaseHoldsTheLocalOne() {
    agent.store(TestAgent.keys(1, 3));
    fleet.set(
        new LookupOutcome.Found(List.of(new Holder("o", "LocalCPUBackend", 2, "10.0.0.1:1", -1))));
    long session = open();
    List<String> six = texts(TestAgent.keys(1, 6));

    EngineLookupRetMsg found =
        client.ask(EngineLookupRetMsg.class, new EngineLookupMsg(session, six, true));

    assertThat(found.numLocal()).isEqualTo(3);
    assertThat(found.numFleet()).isEqualTo(2);
    assertThat(agent.cache.stats().leasedChunks()).isEqualTo(3);
    EngineRetrieveRetMsg more =
        client
            .askForAll(
                EngineRetrieveRetMsg.class,
                new EngineRetrieveMsg(session, found.leaseId(), six.subList(0, 3), 1000),
                List.of())
            .message();
    assertThat(more.leaseId()).isEqualTo(found.leaseId());
    client.ask(EngineReleaseRetMsg.class, new EngineReleaseMsg(session, found.leaseId()));
    assertThat(agent.cache.stats().leasedChunks()).isZero();
  }

  @Test
  void lookup_withoutALease_holdsNothing() {
    agent.store(TestAgent.keys(1, 3));
    long session = open();
    EngineLookupMsg lookup = new EngineLookupMsg(session, texts(TestAgent.keys(1, 3)), false);
    assertThat(client.ask(EngineLookupRetMsg.class, lookup))
        .isEqualTo(new EngineLookupRetMsg(0, 3, 0));
    assertThat(agent.cache.stats().leasedChunks()).isZero();
  }

  @Test
  void store_tellsWhatBecameOfEachChunk() {
    long session = open();
    store(session, 0, TestAgent.keys(1, 1), false);
    List<ChunkKey> keys = TestAgent.keys(1, 3);
    EngineStoreMsg store = new EngineStoreMsg(session, 0, texts(keys), List.of(16, 16, 16), true);

    EngineStoreRetMsg stored =
        client
            .askForAll(
                EngineStoreRetMsg.class,
                store,
                List.of(body(keys.get(0)), new byte[PAGE + 1], body(keys.get(2))))
            .message();

    assertThat(stored.outcomes())
        .containsExactly(StoreOutcome.RESIDENT, StoreOutcome.TOO_LARGE, StoreOutcome.STORED);
    assertThat(stored.leaseId()).isPositive();
    assertThat(agent.cache.stats().leasedChunks()).isEqualTo(2);
  }

  @Test
  void heldChunks_areNotEvictedForOthers() {
    long session = open();
    List<ChunkKey> held = TestAgent.keys(1, 16);
    store(session, 0, held, true);
    for (int i = 0; i < 8; i++) {
      store(session, 0, TestAgent.keys(1000 + 32L * i, 32), false);
    }
    assertThat(agent.resident(held)).isEqualTo(16);
  }

  @Test
  void requestsThatMakeNoSense_areBadRequests() {
    long session = open();
    List<String> one = texts(TestAgent.keys(1, 1));
    assertThat(error(new EngineLookupMsg(session, List.of(), false)))
        .isEqualTo(EngineErrorCode.BAD_REQUEST);
    assertThat(error(new EngineLookupMsg(session, List.of("x"), false)))
        .isEqualTo(EngineErrorCode.BAD_REQUEST);
    assertThat(error(new EngineLookupMsg(session, List.of(one.getFirst(), "m@1@1@1@half"), false)))
        .as("two keyspaces")
        .isEqualTo(EngineErrorCode.BAD_REQUEST);
    assertThat(error(new EngineLookupMsg(session, texts(TestAgent.keys(1, 41)), false)))
        .isEqualTo(EngineErrorCode.BAD_REQUEST);
    assertThat(error(new EngineStoreMsg(session, 0, one, List.of(16), false)))
        .as("no body")
        .isEqualTo(EngineErrorCode.BAD_REQUEST);
    assertThat(error(new EngineStoreMsg(session, 0, one, List.of(), false)))
        .isEqualTo(EngineErrorCode.BAD_REQUEST);
    client.tell(new EngineStoreMsg(session, 0, one, List.of(-1), false), List.of(new byte[] {1}));
    assertThat(client.answer(EngineErrorMsg.class).message().code())
        .isEqualTo(EngineErrorCode.BAD_REQUEST);
  }

  @Test
  void unknownSessionsAndLeases_areRefused() throws Exception {
    long session = open();
    List<String> one = texts(TestAgent.keys(1, 1));
    assertThat(error(new EngineLookupMsg(session + 1, one, false)))
        .isEqualTo(EngineErrorCode.UNKNOWN_SESSION);
    assertThat(error(new EngineReleaseMsg(session, 5))).isEqualTo(EngineErrorCode.UNKNOWN_LEASE);
    assertThat(error(new EngineRetrieveMsg(session, 5, one, 100)))
        .isEqualTo(EngineErrorCode.UNKNOWN_LEASE);
    try (RawClient other = RawClient.dealer("127.0.0.1:" + door.port())) {
      assertThat(other.ask(EngineErrorMsg.class, new EngineLookupMsg(session, one, false)).code())
          .as("another connection's session")
          .isEqualTo(EngineErrorCode.UNKNOWN_SESSION);
    }
  }

  @Test
  void garbage_isAnErrorAndTheDoorStaysOpen() {
    for (byte[] garbage : List.of(new byte[] {(byte) 0xc1}, new byte[] {1})) {
      client.tellRaw(new byte[] {7}, new byte[0], garbage);
      assertThat(client.answer(EngineErrorMsg.class).message().code())
          .isEqualTo(EngineErrorCode.BAD_REQUEST);
    }
    client.tellRaw(new byte[] {7}, new byte[0]);
    assertThat(open()).isPositive();
    assertThat(door.refusedFrames().count()).isEqualTo(3);
  }

  @Test
  void frame_thatIsTooLong_costsItsSenderTheConnectionAndItsSession() throws Exception {
    try (RawClient rude = RawClient.dealer("127.0.0.1:" + door.port())) {
      TestDoor.open(rude);
      await().until(() -> door.sessions() == 1);
      rude.tellRaw(new byte[0], new byte[8 * PAGE]);
      await().until(() -> door.sessions() == 0);
    }
    assertThat(open()).isPositive();
  }

  @Test
  void tooManySessionsOrLeases_areRefused() throws Exception {
    agent.store(TestAgent.keys(1, 1));
    long session = open();
    for (int i = 0; i < 3; i++) {
      open();
    }
    assertThat(error(new OpenSessionMsg(1, "one more"))).isEqualTo(EngineErrorCode.OVERLOADED);
    EngineLookupMsg lookup = new EngineLookupMsg(session, texts(TestAgent.keys(1, 1)), true);
    for (int i = 0; i < 3; i++) {
      client.ask(EngineLookupRetMsg.class, lookup);
    }
    assertThat(error(lookup)).isEqualTo(EngineErrorCode.OVERLOADED);
    EngineLookupMsg without = new EngineLookupMsg(session, texts(TestAgent.keys(1, 1)), false);
    assertThat(client.ask(EngineLookupRetMsg.class, without).numLocal()).isEqualTo(1);
  }

  @Test
  void tooManyLeasedBytes_areRefused() {
    long session = open();
    store(session, 0, TestAgent.keys(1, 20), true);
    assertThat(error(new EngineLookupMsg(session, texts(TestAgent.keys(1, 1)), true)))
        .isEqualTo(EngineErrorCode.OVERLOADED);
  }

  @Test
  void tooManyRequestsAtWork_areRefusedAndOthersAreAnswered() throws Exception {
    stop();
    use(settings(Duration.ofMinutes(1), Duration.ofMinutes(1), 4, 1));
    long session = open();
    hang = true;
    EngineLookupMsg lookup = new EngineLookupMsg(session, texts(TestAgent.keys(1, 1)), false);
    client.tell(lookup, List.of());
    askedAndHung.await();

    assertThat(error(lookup)).isEqualTo(EngineErrorCode.OVERLOADED);
    assertThat(client.ask(CloseSessionRetMsg.class, new CloseSessionMsg(session)).releasedChunks())
        .isZero();
    assertThat(client.answer(EngineErrorMsg.class).message().code())
        .as("the request whose session ended")
        .isIn(EngineErrorCode.CLOSING, EngineErrorCode.UNKNOWN_SESSION);
  }

  @Test
  void closeSession_releasesAllOfIt() {
    long session = open();
    store(session, 0, TestAgent.keys(1, 4), true);
    store(session, 0, TestAgent.keys(1, 2), true);
    assertThat(client.ask(CloseSessionRetMsg.class, new CloseSessionMsg(session)).releasedChunks())
        .isEqualTo(6);
    assertThat(agent.cache.stats().leasedChunks()).isZero();
  }

  @Test
  void connectionThatGoesAway_endsItsSessionAndWhatIsAtWorkForIt() throws Exception {
    long session = open();
    store(session, 0, TestAgent.keys(1, 8), true);
    hang = true;
    client.tell(new EngineRetrieveMsg(session, 0, texts(TestAgent.keys(1, 9)), 30_000), List.of());
    askedAndHung.await();
    assertThat(agent.cache.stats().leasedChunks()).isEqualTo(8);

    client.close();

    await()
        .untilAsserted(
            () -> {
              assertThat(agent.cache.stats().leasedChunks()).isZero();
              assertThat(door.atWork()).isZero();
            });
  }

  @Test
  void sessionThatNobodyUses_isClosed() throws Exception {
    long session = open();
    store(session, 0, TestAgent.keys(1, 4), true);

    skippedNanos.addAndGet(Duration.ofMinutes(1).toNanos());
    await().untilAsserted(() -> assertThat(agent.cache.stats().leasedChunks()).isZero());
    assertThat(error(new CloseSessionMsg(session))).isEqualTo(EngineErrorCode.UNKNOWN_SESSION);
    assertThat(counters.get(EngineCount.SESSION_IDLE)).isEqualTo(1);
  }

  @Test
  void leaseThatNobodyReads_isReleasedAfterItsLifetime() throws Exception {
    stop();
    use(settings(Duration.ofMinutes(5), Duration.ofMinutes(1), 4, 8));
    agent.store(TestAgent.keys(1, 4));
    long session = open();
    List<String> keys = texts(TestAgent.keys(1, 4));
    List<Long> leases = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      leases.add(
          client.ask(EngineLookupRetMsg.class, new EngineLookupMsg(session, keys, true)).leaseId());
    }
    client.askForAll(
        EngineRetrieveRetMsg.class,
        new EngineRetrieveMsg(session, leases.getFirst(), keys.subList(0, 1), 1000),
        List.of());

    skippedNanos.addAndGet(Duration.ofMinutes(1).toNanos());
    await().untilAsserted(() -> assertThat(counters.get(EngineCount.LEASE_EXPIRED)).isEqualTo(1));
    assertThat(error(new EngineReleaseMsg(session, leases.get(1))))
        .isEqualTo(EngineErrorCode.UNKNOWN_LEASE);
    assertThat(
            client.ask(EngineReleaseRetMsg.class, new EngineReleaseMsg(session, leases.getFirst())))
        .as("what was read stays until it is released")
        .isEqualTo(new EngineReleaseRetMsg(5));
  }

  @Test
  void close_underLoad_endsSoonAndLeavesNothing() throws Exception {
    long session = open();
    List<ChunkKey> keys = TestAgent.keys(1, 16);
    store(session, 0, keys, false);
    for (int i = 0; i < 50; i++) {
      client.tell(new EngineLookupMsg(session, texts(keys), i % 2 == 0), List.of());
    }
    long start = System.nanoTime();

    door.close();

    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
    assertThat(door.atWork()).isZero();
  }
}
