package io.kvmesh.agent.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.directory.Holder;
import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.drain.Drainers;
import io.kvmesh.agent.fleet.Prefetcher;
import io.kvmesh.agent.fleet.Prefetchers;
import io.kvmesh.agent.transfer.MoveCount;
import io.kvmesh.agent.transfer.PeerReachability;
import io.kvmesh.agent.transfer.PullOutcome;
import io.kvmesh.agent.transfer.RawClient;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.hash.ChunkHashing;
import io.kvmesh.common.hash.TokenChunker;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.wire.PrefetchOutcome;
import io.kvmesh.common.wire.PrefetchState;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.control.CancelPrefetchWorkerMsg;
import io.kvmesh.common.wire.control.CheckFinishWorkerMsg;
import io.kvmesh.common.wire.control.CheckFinishWorkerRetMsg;
import io.kvmesh.common.wire.control.CheckPrefetchWorkerMsg;
import io.kvmesh.common.wire.control.ClearWorkerMsg;
import io.kvmesh.common.wire.control.ClearWorkerRetMsg;
import io.kvmesh.common.wire.control.CompressWorkerMsg;
import io.kvmesh.common.wire.control.CompressWorkerRetMsg;
import io.kvmesh.common.wire.control.ControlRequest;
import io.kvmesh.common.wire.control.DecompressWorkerMsg;
import io.kvmesh.common.wire.control.DecompressWorkerRetMsg;
import io.kvmesh.common.wire.control.ErrorMsg;
import io.kvmesh.common.wire.control.HealthWorkerMsg;
import io.kvmesh.common.wire.control.HealthWorkerRetMsg;
import io.kvmesh.common.wire.control.MoveOutcome;
import io.kvmesh.common.wire.control.MoveWorkerMsg;
import io.kvmesh.common.wire.control.MoveWorkerRetMsg;
import io.kvmesh.common.wire.control.PackOutcome;
import io.kvmesh.common.wire.control.PinWorkerMsg;
import io.kvmesh.common.wire.control.PinWorkerRetMsg;
import io.kvmesh.common.wire.control.PrefetchWorkerMsg;
import io.kvmesh.common.wire.control.PrefetchWorkerRetMsg;
import io.kvmesh.common.wire.control.ReachWorkerMsg;
import io.kvmesh.common.wire.control.WorkerPosition;
import io.kvmesh.common.wire.peer.BatchedGetDoneMsg;
import io.kvmesh.common.zmq.SocketSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ControlServerTest {

  private final Counters<ControlCount> counters = new Counters<>(ControlCount.class);
  private static final String LOCATION = "LocalCPUBackend";

  private volatile LookupOutcome fleet = new LookupOutcome.Miss();
  private final CountDownLatch answers = new CountDownLatch(1);
  private volatile boolean hang;
  private @Nullable TokenKeys tokenKeys;
  private TestAgent agent;
  private Prefetcher prefetcher;
  private ControlServer server;
  private RawClient client;

  @BeforeEach
  void start() throws IOException {
    start(TestAgent.named("me"));
  }

  private void start(TestAgent.Builder builder) throws IOException {
    agent = builder.start();
    prefetcher = Prefetchers.of(agent, Prefetchers.fleet(agent, this::lookUp));
    CommandDesk desk =
        new CommandDesk(
            agent.self,
            LOCATION,
            agent.cache,
            agent.mover,
            prefetcher,
            Drainers.of(agent, Drainers.NOBODY),
            new PeerReachability(agent.client, ReachWorkerMsg.MOST_PEERS, System::nanoTime),
            agent.server::initAddress,
            tokenKeys,
            counters);
    server = new ControlServer(desk, agent.sockets, new MessageCodec(), counters, System::nanoTime);
    server.start("tcp://127.0.0.1:0", SocketSettings.DEFAULT);
    client = RawClient.req("127.0.0.1:" + server.port());
  }

  private LookupOutcome lookUp(Keyspace keyspace, List<ChunkHash> hashes, Duration atMost)
      throws InterruptedException {
    if (hang) {
      answers.await();
    }
    return fleet;
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
    prefetcher.close();
    agent.close();
  }

  @Test
  void clear_dropsWhatNobodyHoldsAndTellsHowMuch() {
    agent.store(TestAgent.keys(1, 5));
    try (ChunkLease held = agent.cache.leasePrefix(TestAgent.keys(1, 1))) {
      assertThat(held.size()).isEqualTo(1);

      assertThat(client.ask(ClearWorkerRetMsg.class, new ClearWorkerMsg("e", "LocalCPUBackend")))
          .isEqualTo(new ClearWorkerRetMsg(4L * TestAgent.TOKENS, 100L, 9L, 4L));
    }
    assertThat(agent.cache.stats().residentChunks()).isEqualTo(1);
  }

  @Test
  void clear_ofALocationThatIsNotHere_isAnError() {
    agent.store(TestAgent.keys(1, 5));
    ErrorMsg error = client.ask(ErrorMsg.class, new ClearWorkerMsg("e", "LocalDiskBackend"));
    assertThat(error.error()).contains("LocalDiskBackend");
    assertThat(agent.cache.stats().residentChunks()).isEqualTo(5);
  }

  @Test
  void health_isBadOnceFenced() {
    assertThat(client.ask(HealthWorkerRetMsg.class, new HealthWorkerMsg("e")).errorCode()).isZero();
    agent.fenced.set(true);
    assertThat(client.ask(HealthWorkerRetMsg.class, new HealthWorkerMsg("e")).errorCode())
        .isEqualTo(-1);
  }

  @Test
  void compress_withoutMemoryForIt_isRefusedWithTheReason() {
    ControlRequest compress = new CompressWorkerMsg("e", "zstd", LOCATION, List.of(1L));
    ErrorMsg refusal = client.ask(ErrorMsg.class, compress);
    assertThat(refusal.code()).isEqualTo("unsupported");
    assertThat(refusal.error()).contains("kvmesh.cache.compressed-bytes is 0");
    assertThat(counters.get(ControlCount.UNSUPPORTED)).isEqualTo(1);
  }

  @Test
  void compress_makesAllShorter_andPeersGetWhatWasStored() throws Exception {
    stop();
    start(TestAgent.named("me").pages(8, 16_384).packedBytes(64 * 4096));
    agent.store(TestAgent.keys(1, 6));
    try (ChunkLease held = agent.cache.leasePrefix(TestAgent.keys(1, 1))) {
      assertThat(held.size()).isEqualTo(1);
      CompressWorkerRetMsg receipt =
          client.ask(
              CompressWorkerRetMsg.class, new CompressWorkerMsg("e", "zstd", LOCATION, null));
      assertThat(receipt.numTokens()).isEqualTo(5L * TestAgent.TOKENS);
      assertThat(receipt.numChunks()).isEqualTo(5);
      assertThat(receipt.bytesBefore()).isEqualTo(5 * 16_384);
      assertThat(receipt.bytesAfter()).isBetween(1L, 5 * 1000L);
      assertThat(receipt.outcomes())
          .isEqualTo(Map.of(PackOutcome.COMPRESSED, 5, PackOutcome.IN_USE, 1));
    }
    assertThat(agent.cache.stats().freePages()).isEqualTo(7);
    try (TestAgent peer = TestAgent.named("peer").pages(8, 16_384).start()) {
      assertThat(peer.pull(agent.address(), TestAgent.keys(1, 3), Duration.ofSeconds(10)))
          .isEqualTo(new PullOutcome.Hit(3));
      peer.requireSettled();
    }
    agent.requireSettled();
    assertThat(agent.cache.stats().packed().chunks()).isEqualTo(5);

    List<String> keys = texts(TestAgent.keys(4, 2));
    DecompressWorkerRetMsg back =
        client.ask(
            DecompressWorkerRetMsg.class,
            new DecompressWorkerMsg("e", "zstd", LOCATION, null, keys));
    assertThat(back.outcomes()).isEqualTo(Map.of(PackOutcome.DECOMPRESSED, 2));
    assertThat(back.bytesAfter()).isEqualTo(2 * 16_384);
    assertThat(agent.resident(TestAgent.keys(1, 6))).isEqualTo(6);
    agent.requireSettled();
  }

  @Test
  void compress_byAMethodThatIsNotThere_namesThoseThatAre() throws Exception {
    stop();
    start(TestAgent.named("me").packedBytes(4096));
    ErrorMsg refusal =
        client.ask(ErrorMsg.class, new CompressWorkerMsg("e", "cachegen", LOCATION, null));
    assertThat(refusal.code()).isEqualTo("bad_request");
    assertThat(refusal.error()).contains("'cachegen'").contains("[zstd, lz4]");
  }

  @Test
  void pin_holdsTheChunksOfItsKeysUntilItIsTakenOff() {
    agent.store(TestAgent.keys(1, 5));
    List<String> keys = texts(TestAgent.keys(1, 4));

    assertThat(client.ask(PinWorkerRetMsg.class, pin("a", keys, null)))
        .isEqualTo(new PinWorkerRetMsg(4L * TestAgent.TOKENS, 4L, 0L));
    assertThat(client.ask(PinWorkerRetMsg.class, pin("b", keys.subList(0, 1), null)).numChunks())
        .isEqualTo(1);
    agent.cache.clear();
    assertThat(agent.resident(TestAgent.keys(1, 5))).isEqualTo(4);

    assertThat(client.ask(PinWorkerRetMsg.class, pin("a", keys.subList(3, 4), true)).numChunks())
        .isEqualTo(1);
    assertThat(client.ask(PinWorkerRetMsg.class, pin("a", null, true)).numChunks()).isEqualTo(3);
    agent.cache.clear();
    assertThat(agent.resident(TestAgent.keys(1, 5))).as("what b pinned").isEqualTo(1);
  }

  @Test
  void pin_ofMoreThanMayBePinned_saysHowManyWereRefused() {
    agent.store(TestAgent.keys(1, 40));
    PinWorkerRetMsg reply =
        client.ask(PinWorkerRetMsg.class, pin("a", texts(TestAgent.keys(1, 40)), null));
    assertThat(reply).isEqualTo(new PinWorkerRetMsg(32L * TestAgent.TOKENS, 32L, 8L));
  }

  @Test
  void pin_ofTokens_isRefusedWithTheReason() {
    ErrorMsg error = client.ask(ErrorMsg.class, new PinWorkerMsg("e", LOCATION, List.of(1L, 2L)));
    assertThat(error.code()).isEqualTo("unsupported");
    assertThat(error.error()).contains("hash tokens").contains("world-size").contains("keys");
    assertThat(client.ask(ErrorMsg.class, pin("e", List.of("no key"), null)).error())
        .contains("no key");
  }

  private TokenKeys startHashing() throws IOException {
    stop();
    TokenKeys keys =
        new TokenKeys(
            TestAgent.keys(1, 1).getFirst().keyspace(),
            new TokenChunker(ChunkHashing.of("builtin", ""), 4),
            false);
    tokenKeys = keys;
    start(TestAgent.named("me"));
    return keys;
  }

  private static final List<Long> PROMPT = LongStream.rangeClosed(1, 11).boxed().toList();

  @Test
  void pin_ofTokens_holdsTheChunksOfTheirFullHashes() throws IOException {
    List<ChunkKey> chunks = startHashing().of(PROMPT);
    agent.store(chunks);
    agent.store(TestAgent.keys(1, 1));

    assertThat(client.ask(PinWorkerRetMsg.class, new PinWorkerMsg("e", LOCATION, PROMPT)))
        .isEqualTo(new PinWorkerRetMsg(2L * TestAgent.TOKENS, 2L, 0L));
    agent.cache.clear();
    assertThat(agent.resident(chunks)).isEqualTo(2);
    assertThat(agent.cache.stats().residentChunks()).isEqualTo(2);

    assertThat(unpinned(PROMPT.subList(0, 3))).as("no full chunk").isZero();
    assertThat(unpinned(PROMPT.subList(0, 4))).isEqualTo(1);
    assertThat(unpinned(List.of())).as("all that is left").isEqualTo(1);
  }

  private @Nullable Long unpinned(List<Long> tokens) {
    PinWorkerMsg unpin = new PinWorkerMsg("e", LOCATION, tokens, null, true);
    return client.ask(PinWorkerRetMsg.class, unpin).numChunks();
  }

  @Test
  void pin_ofWhatIsNoToken_namesItAndTheRule() throws IOException {
    startHashing();
    ErrorMsg error = client.ask(ErrorMsg.class, new PinWorkerMsg("e", LOCATION, List.of(1L, -5L)));
    assertThat(error.code()).isEqualTo("bad_request");
    assertThat(error.error())
        .isEqualTo("Token 1 is -5: a token is a whole number from 0 to 2^63-1");
  }

  @Test
  void copy_ofTokens_takesTheirChunksAndNoOthers() throws Exception {
    List<ChunkKey> chunks = startHashing().of(PROMPT);
    try (TestAgent other = TestAgent.named("other").start()) {
      agent.store(chunks);
      agent.store(TestAgent.keys(1, 3));
      WorkerPosition there = new WorkerPosition(other.address(), LOCATION);

      MoveWorkerRetMsg reply =
          client.ask(
              MoveWorkerRetMsg.class, new MoveWorkerMsg("m", LOCATION, there, PROMPT, false));

      assertThat(reply.outcomes()).isEqualTo(Map.of(MoveOutcome.MOVED, 2));
      assertThat(other.resident(chunks)).isEqualTo(2);
      assertThat(agent.resident(TestAgent.keys(1, 3))).isEqualTo(3);
    }
  }

  private static PinWorkerMsg pin(
      String event, @Nullable List<String> keys, @Nullable Boolean unpin) {
    return new PinWorkerMsg(event, LOCATION, List.of(), keys, unpin);
  }

  private static List<String> texts(List<ChunkKey> keys) {
    return keys.stream().map(ChunkKey::toString).toList();
  }

  private static MoveWorkerMsg move(String target, @Nullable List<String> keys, boolean copy) {
    return new MoveWorkerMsg("m", LOCATION, new WorkerPosition(target, LOCATION), null, copy, keys);
  }

  @Test
  void move_takesAllToTheOtherWorkerAndTellsSo() throws Exception {
    try (TestAgent other = TestAgent.named("other").start()) {
      agent.store(TestAgent.keys(1, 20));

      MoveWorkerRetMsg reply =
          client.ask(MoveWorkerRetMsg.class, move("tcp://" + other.address(), null, false));

      assertThat(reply.numTokens()).isEqualTo(20L * TestAgent.TOKENS);
      assertThat(reply.outcomes()).isEqualTo(Map.of(MoveOutcome.MOVED, 20));
      assertThat(reply.epoch()).isEqualTo(100);
      assertThat(reply.sequence()).as("20 admits, 20 evicts").isEqualTo(40);
      assertThat(reply.stopped()).isNull();
      assertThat(agent.cache.stats().residentChunks()).isZero();
      assertThat(other.resident(TestAgent.keys(1, 20))).isEqualTo(20);
      assertThat(client.ask(CheckFinishWorkerRetMsg.class, new CheckFinishWorkerMsg("m")).status())
          .isEqualTo("done");
    }
  }

  @Test
  void copy_ofSomeKeys_leavesThemHereAndNamesThoseThatAreNot() throws Exception {
    try (TestAgent other = TestAgent.named("other").start()) {
      agent.store(TestAgent.keys(1, 3));
      List<String> keys = texts(TestAgent.keys(2, 4));

      MoveWorkerRetMsg reply =
          client.ask(MoveWorkerRetMsg.class, move(other.address(), keys, true));

      assertThat(reply.outcomes()).isEqualTo(Map.of(MoveOutcome.COPIED, 2, MoveOutcome.GONE, 2));
      assertThat(reply.left()).isEqualTo(keys.subList(2, 4));
      assertThat(reply.leftWhy()).containsOnly(MoveOutcome.GONE);
      assertThat(agent.resident(TestAgent.keys(1, 3))).isEqualTo(3);
      assertThat(other.resident(TestAgent.keys(2, 2))).isEqualTo(2);
    }
  }

  @Test
  void move_thatCannotBe_isRefusedWithTheReason() {
    assertThat(client.ask(ErrorMsg.class, move(agent.address(), null, false)).error())
        .contains("itself");
    assertThat(client.ask(ErrorMsg.class, move("nowhere", null, false)).error())
        .contains("nowhere");
    WorkerPosition disk = new WorkerPosition("10.0.0.1:1", "LocalDiskBackend");
    assertThat(
            client.ask(ErrorMsg.class, new MoveWorkerMsg("m", LOCATION, disk, null, true)).error())
        .contains("LocalDiskBackend");
    WorkerPosition there = new WorkerPosition("10.0.0.1:1", LOCATION);
    assertThat(
            client
                .ask(ErrorMsg.class, new MoveWorkerMsg("m", LOCATION, there, List.of(1L), true))
                .code())
        .isEqualTo("unsupported");
    assertThat(client.ask(ErrorMsg.class, new CheckFinishWorkerMsg("unknown")).code())
        .isEqualTo("not_found");
  }

  @Test
  void move_toATargetThatNeverAnswers_letsTheDoorAnswerOthersAndEndsInTime() throws Exception {
    stop();
    start(TestAgent.named("me").connectTimeout(Duration.ofSeconds(8)));
    agent.store(TestAgent.keys(1, 3));
    try (RawClient silent = RawClient.silentServer()) {
      client.tell(move("127.0.0.1:" + silent.port(), null, false), List.of());
      requireOthersAreAnswered();
    }
    MoveWorkerRetMsg reply = client.answer(MoveWorkerRetMsg.class).message();
    assertThat(reply.stopped()).contains("can't be reached");
    assertThat(reply.outcomes()).isEqualTo(Map.of(MoveOutcome.UNCONFIRMED, 3));
    assertThat(agent.resident(TestAgent.keys(1, 3))).isEqualTo(3);
    assertThat(agent.moved.get(MoveCount.MOVE_REFUSED)).isEqualTo(1);
  }

  private void requireOthersAreAnswered() throws Exception {
    try (RawClient second = RawClient.req("127.0.0.1:" + server.port())) {
      await()
          .pollInSameThread()
          .untilAsserted(
              () ->
                  assertThat(
                          second
                              .ask(CheckFinishWorkerRetMsg.class, new CheckFinishWorkerMsg("m"))
                              .status())
                      .isEqualTo("in_progress"));
      assertThat(second.ask(ErrorMsg.class, move("10.0.0.1:1", null, false)).code())
          .isEqualTo("busy");
      assertThat(second.ask(HealthWorkerRetMsg.class, new HealthWorkerMsg("e")).errorCode())
          .isZero();
    }
  }

  private static PrefetchWorkerMsg prefetch(String id, @Nullable List<String> keys) {
    return new PrefetchWorkerMsg(id, LOCATION, null, keys, 0);
  }

  @Test
  void prefetch_isAnsweredWhenItIsOver() throws Exception {
    try (TestAgent other = TestAgent.named("other").start()) {
      other.store(TestAgent.keys(1, 4));
      fleet = new LookupOutcome.Found(List.of(new Holder("o", LOCATION, 2, other.address(), 1)));

      PrefetchWorkerRetMsg reply =
          client.ask(PrefetchWorkerRetMsg.class, prefetch("p", texts(TestAgent.keys(1, 4))));

      assertThat(reply.state()).isEqualTo(PrefetchState.DONE);
      assertThat(reply.numTokens()).isEqualTo(4L * TestAgent.TOKENS);
      assertThat(reply.epoch()).isEqualTo(100);
      assertThat(reply.sequence()).isEqualTo(4);
      assertThat(reply.outcomes()).containsEntry(PrefetchOutcome.BROUGHT, 4);
      assertThat(agent.resident(TestAgent.keys(1, 4))).isEqualTo(4);
      assertThat(client.ask(PrefetchWorkerRetMsg.class, new CheckPrefetchWorkerMsg("p")))
          .isEqualTo(reply);
      assertThat(client.ask(ErrorMsg.class, prefetch("p", texts(TestAgent.keys(1, 4)))).code())
          .isEqualTo("bad_request");
    }
  }

  @Test
  void prefetch_thatIsCancelled_isAnsweredThen() throws Exception {
    hang = true;
    try (RawClient second = RawClient.req("127.0.0.1:" + server.port())) {
      client.tell(prefetch("p", texts(TestAgent.keys(1, 4))), List.of());
      await().pollInSameThread().ignoreExceptions().until(() -> prefetcher.underWay().size() == 1);
      PrefetchWorkerRetMsg soFar =
          second.ask(PrefetchWorkerRetMsg.class, new CheckPrefetchWorkerMsg("p"));
      assertThat(soFar.state()).isEqualTo(PrefetchState.RUNNING);
      assertThat(soFar.outcomes()).containsEntry(PrefetchOutcome.UNTRIED, 4);

      second.ask(PrefetchWorkerRetMsg.class, new CancelPrefetchWorkerMsg("p"));

      assertThat(client.answer(PrefetchWorkerRetMsg.class).message().state())
          .isEqualTo(PrefetchState.CANCELLED);
      assertThat(counters.get(ControlCount.CANCEL)).isEqualTo(1);
    }
  }

  @Test
  void prefetch_thatCantBe_isRefusedWithTheReason() {
    assertThat(client.ask(ErrorMsg.class, prefetch("p", null)).error()).contains("at least one");
    List<String> mixed = List.of("m@1@0@1@bfloat16", "m@2@1@2@bfloat16");
    assertThat(client.ask(ErrorMsg.class, prefetch("p", mixed)).error()).contains("share all");
    assertThat(
            client
                .ask(ErrorMsg.class, new PrefetchWorkerMsg("p", LOCATION, List.of(1L), null, 0))
                .code())
        .isEqualTo("unsupported");
    assertThat(client.ask(ErrorMsg.class, new CheckPrefetchWorkerMsg("p")).code())
        .isEqualTo("not_found");
    assertThat(client.ask(ErrorMsg.class, new CancelPrefetchWorkerMsg("p")).code())
        .isEqualTo("not_found");
  }

  @Test
  void garbage_isAnErrorAndTheDoorStaysOpen() {
    byte[] foreign = new MessageCodec().encode(new BatchedGetDoneMsg(1));
    for (byte[] garbage : List.of(new byte[] {(byte) 0xc1}, new byte[] {1}, foreign)) {
      client.tellRaw(garbage);
      assertThat(client.answer(ErrorMsg.class).message().code()).isEqualTo("bad_request");
    }
    assertThat(server.refusedFrames().count()).isEqualTo(3);
    assertThat(client.ask(HealthWorkerRetMsg.class, new HealthWorkerMsg("e")).errorCode()).isZero();
  }
}
