package io.kvmesh.agent.transfer;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.PendingChunk;
import io.kvmesh.agent.memory.MappedArena;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.handshake.KvmeshInitRequest;
import io.kvmesh.common.wire.handshake.KvmeshInitResponse;
import io.kvmesh.common.wire.handshake.SharedMemory;
import io.kvmesh.common.wire.peer.BatchedGetDoneMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetRetMsg;
import io.kvmesh.common.zmq.Frame;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pulls between agents whose memories lie in files of one directory, or don't. */
@Timeout(60)
class ShmChannelTest {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final List<ChunkKey> KEYS = TestAgent.keys(1, 40);

  @TempDir private Path directory;

  private TestAgentBuilder agent(String name) {
    return TestAgent.named(name).file(directory.resolve(name));
  }

  private static void assertCameOver(TestAgent asker, String channel, int chunks) {
    for (String each : Channels.ALL) {
      ChannelTraffic.Figures figures = asker.client.traffic().figures(each);
      boolean used = each.equals(channel);
      assertThat(figures.bytes()).as(each).isEqualTo(used ? chunks * 4096L : 0);
      assertThat(figures.connections()).as(each).isEqualTo(used ? 1 : 0);
    }
  }

  @Test
  void pull_betweenSharedMemories_copiesWithoutFrames() throws Exception {
    try (TestAgent owner = agent("owner").start();
        TestAgent asker = agent("asker").start()) {
      owner.store(KEYS);

      assertThat(asker.pull(owner.address(), KEYS, SOON)).isEqualTo(new PullOutcome.Hit(40));

      assertThat(asker.resident(KEYS)).isEqualTo(40);
      assertCameOver(asker, Channels.SHM, 40);
      assertThat(owner.served.get(ServerCount.CHUNK_SHARED)).isEqualTo(40);
      assertThat(owner.served.get(ServerCount.BYTE_SHARED)).isEqualTo(40 * 4096);
      assertThat(owner.served.get(ServerCount.CHUNK_SENT)).isZero();
      asker.requireSettled();
      owner.requireSettled();
      owner.awaitServed(ServerCount.LOAN_DONE, 3);
    }
  }

  @ParameterizedTest
  @CsvSource({"shm zmq, zmq, zmq", "zmq, shm zmq, zmq", "zmq shm, shm zmq, zmq", "shm, shm, shm"})
  void channel_isTheFirstOfTheAskersThatTheOwnerServes(String askers, String owners, String agreed)
      throws Exception {
    try (TestAgent owner = agent("owner").channels(owners.split(" ", -1)).start();
        TestAgent asker = agent("asker").channels(askers.split(" ", -1)).start()) {
      owner.store(KEYS);
      assertThat(asker.pull(owner.address(), KEYS, SOON)).isEqualTo(new PullOutcome.Hit(40));
      assertCameOver(asker, agreed, 40);
      assertThat(asker.pulled.get(PullCount.CHANNEL_FALLBACK)).isZero();
    }
  }

  @Test
  void oneSideWithoutSharedMemory_usesTheNetwork() throws Exception {
    try (TestAgent alone = TestAgent.named("alone").start();
        TestAgent shared = agent("shared").start()) {
      alone.store(KEYS.subList(0, 4));
      shared.store(KEYS.subList(10, 14));
      shared.pull(alone.address(), KEYS.subList(0, 4), SOON);
      assertCameOver(shared, Channels.ZMQ, 4);
      alone.pull(shared.address(), KEYS.subList(10, 14), SOON);
      assertCameOver(alone, Channels.ZMQ, 4);
    }
  }

  @Test
  void fileThatIsNotInTheAskersDirectory_isFallenBackFrom() throws Exception {
    Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
    try (TestAgent owner = TestAgent.named("owner").file(elsewhere.resolve("same")).start();
        TestAgent asker = TestAgent.named("asker").file(directory.resolve("same")).start()) {
      owner.store(KEYS);

      assertThat(asker.pull(owner.address(), KEYS, SOON)).isEqualTo(new PullOutcome.Hit(40));

      assertThat(asker.resident(KEYS)).isEqualTo(40);
      assertCameOver(asker, Channels.ZMQ, 40);
      assertThat(asker.pulled.get(PullCount.CHANNEL_FALLBACK)).isEqualTo(1);
      assertThat(asker.client.traffic().lastFallback()).contains("another id");
    }
  }

  @Test
  void withoutAChannelToFallBackTo_nothingIsPulled() throws Exception {
    Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
    try (TestAgent owner = TestAgent.named("owner").file(elsewhere.resolve("owner")).start();
        TestAgent asker = agent("asker").channels(Channels.SHM).start()) {
      owner.store(KEYS);
      PullOutcome outcome = asker.pull(owner.address(), KEYS, SOON);
      assertThat(outcome).isInstanceOf(PullOutcome.Unavailable.class);
      assertThat(outcome.toString()).contains("no channel is left");
      asker.requireSettled();
    }
  }

  @Test
  void ownerThatRestarts_isMappedAnew() throws Exception {
    try (TestAgent asker = agent("asker").start()) {
      TestAgent former = agent("owner").start();
      former.store(KEYS.subList(0, 4));
      assertThat(asker.pull(former.address(), KEYS.subList(0, 4), SOON).chunks()).isEqualTo(4);
      former.close();
      await()
          .untilAsserted(
              () ->
                  assertThat(asker.client.traffic().figures(Channels.SHM).connections()).isZero());
      await().untilAsserted(() -> assertThat(mappings("owner")).as("of the former life").isZero());
      try (TestAgent owner = agent("owner").start()) {
        owner.epoch.set(101);
        owner.store(KEYS);
        assertThat(asker.pull(owner.address(), KEYS, SOON)).isEqualTo(new PullOutcome.Hit(40));
        assertCameOver(asker, Channels.SHM, 40);
        asker.requireSettled();
      }
    }
  }

  private long mappings(String name) throws IOException {
    try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
      return lines.filter(line -> line.contains(directory.resolve(name).toString())).count();
    }
  }

  @Test
  void ownerOfAnotherEpoch_isGreetedAnew() throws Exception {
    try (TestAgent owner = agent("owner").start();
        TestAgent asker = agent("asker").start()) {
      owner.store(KEYS);
      asker.pull(owner.address(), KEYS.subList(0, 4), SOON);
      owner.epoch.set(101);

      assertThat(asker.pull(owner.address(), KEYS, SOON)).isEqualTo(new PullOutcome.Hit(40));

      assertThat(asker.pulled.get(PullCount.HANDSHAKE)).isEqualTo(2);
      assertCameOver(asker, Channels.SHM, 40);
      asker.requireSettled();
    }
  }

  @Test
  void fileThatIsCutOff_isFallenBackFrom() throws Exception {
    Path file = directory.resolve("owner");
    try (TestAgent owner = agent("owner").start();
        TestAgent asker = agent("asker").start()) {
      owner.store(KEYS);
      assertThat(asker.pull(owner.address(), KEYS.subList(0, 4), SOON).chunks()).isEqualTo(4);
      long size = Files.size(file);
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        // All of its pages are still there, so the owner goes on.
        channel.truncate(size - 1);
      }

      PullOutcome first = asker.pull(owner.address(), KEYS, SOON);
      assertThat(first.chunks()).isGreaterThanOrEqualTo(4);
      assertThat(asker.resident(KEYS)).isEqualTo(first.chunks());
      await()
          .untilAsserted(
              () -> {
                asker.pull(owner.address(), KEYS, SOON);
                assertThat(asker.resident(KEYS)).isEqualTo(40);
              });
      assertThat(asker.pulled.get(PullCount.CHUNK_CHANGED)).isPositive();
      assertThat(asker.pulled.get(PullCount.HARMED_CHUNK)).isZero();
      assertThat(asker.pulled.get(PullCount.CHANNEL_FALLBACK)).isPositive();
      asker.requireSettled();
      owner.requireSettled();
    }
  }

  @Test
  void reply_namesPlacesAndKeepsThemUntilDone() throws Exception {
    try (TestAgent owner = agent("owner").pages(4, 4096).start();
        RawClient init = RawClient.dealer(owner.address());
        RawClient lookup = RawClient.dealer(owner.server.lookupAddress())) {
      owner.store(KEYS.subList(0, 4));
      KvmeshInitResponse agreed =
          init.ask(
              KvmeshInitResponse.class,
              new KvmeshInitRequest(
                  1, "me:1", "me", 0, 5, 4096, TestAgent.TOKENS, List.of("shm", "zmq")));
      assertThat(agreed.channel()).isEqualTo("shm");
      SharedMemory memory = requireNonNull(agreed.sharedMemory());
      assertThat(memory.file()).isEqualTo("owner");
      assertThat(memory.bytes()).isEqualTo(4 * 4096);
      RawClient.Answer<BatchedLookupAndGetRetMsg> answer =
          lookup.askForAll(
              BatchedLookupAndGetRetMsg.class,
              new BatchedLookupAndGetMsg(
                  "l", "me:1", List.of(KEYS.getFirst().toString()), List.of(), 5L, 100L),
              List.of());

      assertThat(answer.bodies()).isEmpty();
      BatchedLookupAndGetRetMsg reply = answer.message();
      assertThat(reply.pageOffsets()).hasSize(1);
      owner.store(TestAgent.keys(100, 4));
      try (ChunkLease lease = owner.cache.leasePrefix(KEYS.subList(0, 1))) {
        assertThat(lease.size()).as("on loan, so not evicted").isEqualTo(1);
        assertThat(List.of(lease.offset(0))).isEqualTo(reply.pageOffsets());
        assertThat(List.of(lease.generation(0))).isEqualTo(reply.generations());
      }
      lookup.tell(new BatchedGetDoneMsg(requireNonNull(reply.loanId())), List.of());
      owner.requireSettled();
    }
  }

  @Test
  void reply_thatPointsOutsideOfTheMemory_isNoAnswer() throws Exception {
    try (TestAgent owner = agent("owner").pages(4, 4096).start()) {
      PageArena arena = owner.self.channels().arena().orElseThrow();
      arena.tellEpoch(100);
      ShmChannel channel =
          new ShmChannel(
              MappedArena.map(directory, arena.identity().orElseThrow(), 100),
              new Counters<>(PullCount.class));
      DeliveredChunks one = new DeliveredChunks(List.of(4096), List.of(16), List.of(0L));
      List<Integer> generations = List.of(0);
      for (long offset : new long[] {-1, 3 * 4096 + 1, 4 * 4096, Long.MAX_VALUE, Long.MIN_VALUE}) {
        assertBroken(channel, one, List.of(offset), generations, 0);
      }
      assertBroken(channel, one, null, generations, 0);
      assertBroken(channel, one, List.of(0L), null, 0);
      assertBroken(channel, one, List.of(0L, 0L), generations, 0);
      assertBroken(channel, one, List.of(0L), List.of(), 0);
      assertBroken(channel, one, List.of(0L), generations, 1);
      channel.close();
      await().untilAsserted(() -> assertThat(mappings("owner")).as("its own").isEqualTo(1));
    }
  }

  private static void assertBroken(
      ShmChannel channel,
      DeliveredChunks chunks,
      @Nullable List<Long> offsets,
      @Nullable List<Integer> generations,
      int frames) {
    AtomicBoolean ended = new AtomicBoolean();
    assertThatThrownBy(
            () ->
                channel.receive(
                    chunks,
                    new BatchedLookupAndGetRetMsg(
                        1, 100L, 1L, List.of(), List.of(), List.of(), offsets, generations),
                    new ReplyBodies(1, Collections.nCopies(frames, Frame.EMPTY)),
                    () -> ended.set(true)))
        .isInstanceOf(BrokenReplyException.class);
    assertThat(ended).as("the loan is ended by the caller").isFalse();
  }

  /** The owner's memory is given out in ranges; the chunk begins and ends where pages do not. */
  @Test
  void chunkLongerThanPage_endsThePrefixOfPages_andIsKeptWhereThereIsRoomForIt() throws Exception {
    int longer = 3 * 4096 - 100;
    try (TestAgent owner = agent("owner").ranges().start();
        TestAgent paged = agent("paged").start();
        TestAgent ranged = agent("ranged").ranges().start()) {
      owner.store(KEYS.subList(0, 2));
      owner.store(KEYS.get(2), longer, TestAgent.TOKENS);
      owner.store(KEYS.subList(3, 5));

      assertThat(paged.pull(owner.address(), KEYS.subList(0, 5), SOON).chunks()).isEqualTo(2);
      assertThat(paged.pulled.get(PullCount.UNWANTED_CHUNK)).isEqualTo(1);
      paged.requireSettled();

      assertThat(ranged.pull(owner.address(), KEYS.subList(0, 5), SOON))
          .isEqualTo(new PullOutcome.Hit(5));
      try (ChunkLease lease = ranged.cache.leasePrefix(KEYS.subList(0, 5))) {
        assertThat(lease.bytes(2)).isEqualTo(longer);
      }
      assertThat(ranged.client.traffic().figures(Channels.SHM).bytes())
          .isEqualTo(4 * 4096 + longer);
      await().untilAsserted(() -> assertThat(owner.server.openLoans()).isZero());
    }
  }

  /** The asker reads what it wants of a delivery, later than the owner could wait. */
  @Test
  void loanThatEndsTooEarly_showsInTheGenerations() throws Exception {
    try (TestAgent owner = agent("owner").pages(4, 4096).start();
        TestAgent asker = agent("asker").start()) {
      List<ChunkKey> keys = KEYS.subList(0, 4);
      owner.store(keys);
      Deadline deadline = Deadline.after(SOON, System::nanoTime);
      List<String> texts = keys.stream().map(ChunkKey::toString).toList();
      GetAnswer answer = asker.client.get(owner.address(), texts, deadline).get();
      Delivery delivery = ((GetAnswer.Delivered) answer).delivery();
      try (ChunkLease lease = asker.cache.newLease()) {
        PendingChunk pending =
            (PendingChunk) asker.cache.claim(keys.getFirst(), 4096, TestAgent.TOKENS, lease);
        List<MemorySegment> target = List.of(pending.body());
        assertThat(delivery.copyTo(target, asker.client.helpers()))
            .as("on loan")
            .containsExactly(Delivery.Copied.RIGHT);
        owner.server.close();
        owner.store(TestAgent.keys(100, 4));
        assertThat(delivery.copyTo(target, asker.client.helpers()))
            .as("given out anew")
            .containsExactly(Delivery.Copied.CHANGED);
        asker.cache.abort(pending);
      }
      delivery.close();
      assertThat(asker.pulled.get(PullCount.CHUNK_CHANGED)).isEqualTo(1);
    }
  }
}
