package io.kvmesh.agent.engine;

import static io.kvmesh.agent.engine.TestDoor.PAGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.client.ClaimedPages;
import io.kvmesh.common.client.EngineBody;
import io.kvmesh.common.client.EngineChunk;
import io.kvmesh.common.client.EngineClient;
import io.kvmesh.common.client.EngineClientException;
import io.kvmesh.common.client.EngineClientException.Reason;
import io.kvmesh.common.client.EngineClientSettings;
import io.kvmesh.common.client.EngineLease;
import io.kvmesh.common.client.EnginePrefetch;
import io.kvmesh.common.client.LeasedPages;
import io.kvmesh.common.client.LookedUp;
import io.kvmesh.common.client.RetrievedChunks;
import io.kvmesh.common.client.SharedPages;
import io.kvmesh.common.client.StoredChunks;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.wire.PrefetchState;
import io.kvmesh.common.wire.engine.ClaimOutcome;
import io.kvmesh.common.wire.engine.EngineErrorCode;
import io.kvmesh.common.wire.engine.EnginePrefetchProgressRetMsg;
import io.kvmesh.common.wire.engine.StoreOutcome;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSockets;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The client library at a real door. */
@Timeout(60)
class EngineClientTest {

  private static final int PAGES = 16;
  private static final int SHARE = 8;
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Duration SHORT = Duration.ofMillis(200);

  private final Counters<EngineCount> counters = new Counters<>(EngineCount.class);
  private final ZmqSockets sockets = new ZmqSockets();
  private final CountDownLatch goOn = new CountDownLatch(1);
  @TempDir private Path folder;
  private volatile boolean hang;
  private TestAgent agent;
  private NativeDoor door;
  private EngineClient client;

  @BeforeEach
  void start() throws Exception {
    agent = TestAgent.named("me").pages(PAGES, PAGE).file(folder.resolve("arena")).start();
    EngineSettings settings =
        TestDoor.settings(Duration.ofMinutes(5), Duration.ofMinutes(5), 4, 8, Duration.ZERO);
    door =
        TestDoor.start(
            agent,
            TestDoor.handingOver(settings, agent, folder.resolve("socket"), SHARE),
            this::lookUp,
            counters);
    client = EngineClient.open(sockets, settings(2));
  }

  private EngineClientSettings settings(int maxInFlight) {
    return new EngineClientSettings(
        "agent-1",
        "tcp://127.0.0.1:" + door.port(),
        "test",
        LONG,
        maxInFlight,
        SocketSettings.DEFAULT);
  }

  /** An answer that an interrupt doesn't hasten. */
  private LookupOutcome lookUp(Keyspace keyspace, List<ChunkHash> hashes, Duration atMost) {
    boolean interrupted = false;
    while (hang && goOn.getCount() > 0) {
      try {
        goOn.await();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    return interrupted ? new LookupOutcome.TimedOut() : new LookupOutcome.Miss();
  }

  @AfterEach
  void stop() {
    goOn.countDown();
    client.close();
    sockets.close();
    door.close();
    agent.requireSettled();
    agent.close();
  }

  private static MemorySegment body(ChunkKey key) {
    MemorySegment body = MemorySegment.ofArray(new byte[PAGE]);
    TestAgent.fill(body, key);
    return body;
  }

  private static List<EngineChunk> chunks(List<ChunkKey> keys) {
    return keys.stream().map(key -> new EngineChunk(key, PAGE, TestAgent.TOKENS)).toList();
  }

  private static void write(ClaimedPages claimed, List<ChunkKey> keys) {
    for (int i = 0; i < keys.size(); i++) {
      if (claimed.isClaimed(i)) {
        claimed.page(i).copyFrom(body(keys.get(i)));
      }
    }
  }

  @Test
  void whatWasStored_isLookedUpAndRetrieved() throws Exception {
    List<ChunkKey> keys = TestAgent.keys(1, 3);
    assertThat(client.pageBytes()).isEqualTo(PAGE);
    assertThat(client.chunkTokens()).isEqualTo(TestAgent.TOKENS);
    List<EngineBody> bodies =
        keys.stream().map(key -> new EngineBody(key, body(key), TestAgent.TOKENS)).toList();
    StoredChunks stored = client.store(bodies, LONG);
    assertThat(stored.outcomes()).hasSize(3).containsOnly(StoreOutcome.STORED);
    assertThat(stored.epoch()).isEqualTo(100);
    assertThat(stored.sequence()).isEqualTo(3);
    assertThat(client.store(bodies, LONG).outcomes()).containsOnly(StoreOutcome.RESIDENT);

    try (LookedUp found = client.lookup(TestAgent.keys(1, 4), true)) {
      assertThat(found.local()).isEqualTo(3);
      assertThat(found.fleet()).isZero();
      assertThat(found.lease().touch(5)).isEqualTo(3);
      assertThat(agent.cache.stats().leasedChunks()).isEqualTo(3);
    }
    try (RetrievedChunks retrieved = client.retrieve(TestAgent.keys(1, 4), LONG)) {
      assertThat(retrieved.size()).isEqualTo(3);
      assertThat(retrieved.local()).isEqualTo(3);
      assertThat(retrieved.peerOutcome()).isEqualTo("miss");
      for (int i = 0; i < 3; i++) {
        assertThat(MemorySegment.ofBuffer(retrieved.body(i)).mismatch(body(keys.get(i))))
            .isEqualTo(-1);
      }
    }
    assertThat(client.pin("a", keys).pinnedChunks()).isEqualTo(3);
    assertThat(client.unpin("a", List.of())).isEqualTo(3);
    agent.requireSettled();
  }

  @Test
  void sharedPages_areWrittenAndReadInPlace() throws Exception {
    List<ChunkKey> keys = TestAgent.keys(1, 3);
    agent.store(keys.subList(2, 3));
    SharedPages pages = client.sharePages();
    assertThat(pages.maxChunks()).isEqualTo(SHARE);
    try (ClaimedPages claimed = pages.claim(chunks(keys), LONG)) {
      assertThat(claimed.outcomes())
          .containsExactly(ClaimOutcome.CLAIMED, ClaimOutcome.CLAIMED, ClaimOutcome.RESIDENT);
      write(claimed, keys);
      assertThat(claimed.commit().outcomes())
          .containsExactly(StoreOutcome.STORED, StoreOutcome.STORED);
      assertThatThrownBy(claimed::commit).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> claimed.page(0)).isInstanceOf(IllegalStateException.class);
    }
    assertThat(agent.resident(keys)).isEqualTo(3);

    LeasedPages leased = pages.lease(TestAgent.keys(1, 4), LONG);

    assertThat(leased.size()).isEqualTo(3);
    for (int i = 0; i < 3; i++) {
      assertThat(leased.page(i).mismatch(body(keys.get(i)))).isEqualTo(-1);
    }
    MemorySegment page = leased.page(0);
    assertThatThrownBy(() -> page.fill((byte) 0)).isInstanceOf(RuntimeException.class);
    assertThat(leased.isUnchanged()).isTrue();
    leased.close();
    leased.close();
    agent.requireSettled();
    agent.store(TestAgent.keys(50, PAGES));
    assertThat(leased.isUnchanged()).as("read after its end").isFalse();
  }

  @Test
  void claim_thatIsClosedUncommitted_isGivenBack() throws Exception {
    SharedPages pages = client.sharePages();
    try (ClaimedPages claimed = pages.claim(chunks(TestAgent.keys(1, 8)), LONG)) {
      assertThat(claimed.isClaimed(7)).isTrue();
      assertThatThrownBy(() -> pages.claim(chunks(TestAgent.keys(20, 1)), LONG))
          .isInstanceOfSatisfying(
              EngineClientException.class,
              e -> assertThat(e.code()).contains(EngineErrorCode.OVER_SHARE))
          .hasMessageStartingWith("agent-1 answers OVER_SHARE: ");
    }
    agent.requireSettled();
    assertThat(agent.resident(TestAgent.keys(1, 8))).isZero();
  }

  @Test
  void endOfTheClient_givesAllBack_andItsPagesCantBeTouched() throws Exception {
    SharedPages pages = client.sharePages();
    ClaimedPages claimed = pages.claim(chunks(TestAgent.keys(1, 2)), LONG);
    MemorySegment page = claimed.page(0);

    client.close();

    agent.requireSettled();
    assertThatThrownBy(() -> page.fill((byte) 1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> client.lookup(TestAgent.keys(1, 1), false))
        .isInstanceOfSatisfying(
            EngineClientException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CLOSED));
    pages.close();
  }

  @Test
  void answerThatComesTooLate_leavesNothing() throws Exception {
    agent.store(TestAgent.keys(1, 2));
    client.sharePages();
    hang = true;
    assertThatThrownBy(() -> client.retrieve(TestAgent.keys(1, 3), SHORT))
        .isInstanceOfSatisfying(
            EngineClientException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TIMED_OUT));
    await().untilAsserted(() -> assertThat(agent.cache.stats().leasedChunks()).isEqualTo(2));

    goOn.countDown();

    agent.requireSettled();
    try (LookedUp found = client.lookup(TestAgent.keys(1, 3), false)) {
      assertThat(found.local()).as("it goes on").isEqualTo(2);
    }
  }

  @Test
  void leaseOfALookup_isContinuedByRetrieveAndStore() throws Exception {
    agent.store(TestAgent.keys(1, 2));
    EngineLease lease;
    try (LookedUp promised = client.lookup(TestAgent.keys(1, 3), true);
        RetrievedChunks found =
            client.retrieve(TestAgent.keys(1, 3), promised.lease(), SHORT, LONG)) {
      assertThat(found.lease()).isSameAs(promised.lease());
      assertThat(found.size()).isEqualTo(2);
      ChunkKey third = TestAgent.keys(3, 1).getFirst();

      StoredChunks stored =
          client.store(
              List.of(new EngineBody(third, body(third), TestAgent.TOKENS)), found.lease(), LONG);

      assertThat(stored.outcomes()).containsExactly(StoreOutcome.STORED);
      assertThat(agent.cache.stats().leasedChunks()).isEqualTo(3);
      lease = found.lease();
    }
    agent.requireSettled();
    assertThatThrownBy(() -> client.retrieve(TestAgent.keys(1, 3), lease, SHORT, LONG))
        .isInstanceOfSatisfying(
            EngineClientException.class,
            e -> assertThat(e.code()).contains(EngineErrorCode.UNKNOWN_LEASE));
  }

  @Test
  void leaseOfAPrefixThatIsntThere_holdsNothing_butIsFollowedByOne() throws Exception {
    ChunkKey key = TestAgent.keys(1, 1).getFirst();
    List<EngineBody> chunk = List.of(new EngineBody(key, body(key), TestAgent.TOKENS));
    try (LookedUp promised = client.lookup(List.of(key), true)) {
      assertThatThrownBy(() -> client.store(chunk, promised.lease(), LONG))
          .isInstanceOf(IllegalArgumentException.class);
      try (RetrievedChunks found = client.retrieve(List.of(key), promised.lease(), SHORT, LONG)) {
        client.store(chunk, found.lease(), LONG);
        assertThat(agent.cache.stats().leasedChunks()).isEqualTo(1);
      }
    }
    agent.requireSettled();
  }

  @Test
  void answerThatComesTooLate_leavesALeaseToWhoHasIt() throws Exception {
    agent.store(TestAgent.keys(1, 2));
    try (LookedUp promised = client.lookup(TestAgent.keys(1, 2), true)) {
      hang = true;
      assertThatThrownBy(() -> client.retrieve(TestAgent.keys(1, 3), promised.lease(), LONG, SHORT))
          .isInstanceOfSatisfying(
              EngineClientException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TIMED_OUT));
      goOn.countDown();
      await().until(() -> door.atWork() == 0);

      assertThat(promised.lease().touch(2)).as("it holds them still").isEqualTo(2);
    }
    agent.requireSettled();
  }

  @Test
  void moreRequestsThanMayBeInFlight_areRefusedAtOnce() throws Exception {
    hang = true;
    List<FutureTask<LookedUp>> waiting =
        List.of(
            new FutureTask<>(() -> client.lookup(TestAgent.keys(1, 1), false)),
            new FutureTask<>(() -> client.lookup(TestAgent.keys(1, 1), false)));
    waiting.forEach(task -> Thread.ofVirtual().start(task));
    await().untilAsserted(() -> assertThat(door.atWork()).isEqualTo(2));

    assertThatThrownBy(() -> client.lookup(TestAgent.keys(1, 1), false))
        .isInstanceOfSatisfying(
            EngineClientException.class, e -> assertThat(e.reason()).isEqualTo(Reason.OVERLOADED));
    goOn.countDown();
    for (FutureTask<LookedUp> task : waiting) {
      assertThat(task.get().local()).isZero();
    }
  }

  @Test
  void doorThatCloses_endsWhatIsInFlight() throws Exception {
    hang = true;
    FutureTask<LookedUp> task = new FutureTask<>(() -> client.lookup(TestAgent.keys(1, 1), false));
    Thread.ofVirtual().start(task);
    await().untilAsserted(() -> assertThat(door.atWork()).isEqualTo(1));
    Thread closer = Thread.ofVirtual().start(door::close);
    assertThatThrownBy(task::get).hasCauseInstanceOf(EngineClientException.class);
    goOn.countDown();
    closer.join();
  }

  @Test
  void whereNobodyListens_openingTimesOut() {
    EngineClientSettings nowhere =
        new EngineClientSettings(
            "nobody", "tcp://127.0.0.1:1", "test", SHORT, 2, SocketSettings.DEFAULT);
    assertThatThrownBy(() -> EngineClient.open(sockets, nowhere))
        .isInstanceOfSatisfying(
            EngineClientException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TIMED_OUT))
        .hasMessageContaining("nobody");
  }

  @Test
  void prefetch_tellsItsProgress_andEndsByCancel() throws Exception {
    hang = true;
    agent.store(TestAgent.keys(1, 2));
    EnginePrefetch prefetch = client.prefetch(TestAgent.keys(1, 4), LONG);
    await().until(() -> prefetch.progress().resident() == 2);
    assertThat(prefetch.progress())
        .isEqualTo(new EnginePrefetchProgressRetMsg(PrefetchState.RUNNING, 4, 2, 0, 0, 0, ""));

    prefetch.cancel();
    goOn.countDown();

    await().until(() -> prefetch.progress().state() == PrefetchState.CANCELLED);
    assertThat(counters.get(EngineCount.PREFETCH)).isEqualTo(1);
  }

  @Test
  void prefetchOfWhatNobodyHas_isMissing_andMoreThanMayRunAreRefused() throws Exception {
    EnginePrefetch prefetch = client.prefetch(TestAgent.keys(1, 4), Duration.ZERO);
    await().until(() -> prefetch.progress().state() == PrefetchState.DONE);
    assertThat(prefetch.progress().missing()).isEqualTo(4);

    hang = true;
    client.prefetch(TestAgent.keys(1, 4), LONG);
    client.prefetch(TestAgent.keys(1, 4), LONG);
    assertThatThrownBy(() -> client.prefetch(TestAgent.keys(1, 4), LONG))
        .isInstanceOfSatisfying(
            EngineClientException.class,
            e -> assertThat(e.code()).contains(EngineErrorCode.OVERLOADED));
  }

  @Test
  void prefetch_endsWithItsSession() throws Exception {
    hang = true;
    try (EngineClient other = EngineClient.open(sockets, settings(2))) {
      other.prefetch(TestAgent.keys(1, 4), LONG);
      other.prefetch(TestAgent.keys(1, 4), LONG);
    }
    goOn.countDown();
    await()
        .ignoreExceptionsInstanceOf(EngineClientException.class)
        .untilAsserted(() -> assertThat(client.prefetch(TestAgent.keys(1, 1), LONG)).isNotNull());
  }
}
