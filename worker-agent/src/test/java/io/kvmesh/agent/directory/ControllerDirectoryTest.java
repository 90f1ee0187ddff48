package io.kvmesh.agent.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.transfer.RecordedSpans;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.trace.Traceparent;
import io.kvmesh.common.trace.Traces;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.directory.BatchedP2PLookupMsg;
import io.kvmesh.common.wire.directory.BatchedP2PLookupRetMsg;
import io.kvmesh.common.wire.directory.ErrorMsg;
import io.kvmesh.common.wire.directory.FullSyncCommand;
import io.kvmesh.common.wire.directory.HeartbeatMsg;
import io.kvmesh.common.wire.directory.HeartbeatRetMsg;
import io.kvmesh.common.wire.directory.PeerLayout;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSockets;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ControllerDirectoryTest {

  private static final Keyspace KEYSPACE = Keyspace.parse("m@1@0@bfloat16");
  private static final List<ChunkHash> HASHES =
      List.of(ChunkHash.ofSigned(-1), ChunkHash.ofSigned(2), ChunkHash.ofSigned(3));
  private static final Duration LONG = Duration.ofSeconds(20);

  /** Short, and longer than it takes a slow machine to answer. */
  private static final Duration ATTEMPT = Duration.ofSeconds(2);

  private static final ErrorMsg NOT_READY = new ErrorMsg("loading", ErrorMsg.NOT_READY);

  private final ZmqSockets sockets = new ZmqSockets();
  private final RecordedSpans spans = new RecordedSpans();
  private final Counters<DirectoryCount> counters = new Counters<>(DirectoryCount.class);

  @SuppressWarnings("NullAway.Init") // each test begins with use
  private ControllerDirectory directory;

  private void use(Duration attempt, FakeController... controllers) {
    use(attempt, Stream.of(controllers).map(FakeController::address).toArray(String[]::new));
  }

  private void use(Duration attempt, String... controllers) {
    directory =
        new ControllerDirectory(
            new WorkerId("me", 3),
            new DirectorySettings(
                List.of(controllers), SocketSettings.DEFAULT, attempt, Duration.ofMillis(300), 64),
            sockets,
            new MessageCodec(),
            counters,
            new Traces(spans.tracer()),
            System::nanoTime);
    directory.start();
  }

  @AfterEach
  void stop() {
    directory.close();
    assertThat(sockets.close(Duration.ofSeconds(20))).isTrue();
  }

  private LookupOutcome lookup(Duration atMost) throws InterruptedException {
    return directory.lookup(KEYSPACE, HASHES, atMost);
  }

  private static BatchedP2PLookupRetMsg found(int chunks) {
    return new BatchedP2PLookupRetMsg(
        List.of(new PeerLayout("other", "LocalCPUBackend", chunks, "10.0.0.7:8200")));
  }

  @Test
  void lookup_namesKeyspaceAndRequesterAndAnswersTheHolder() throws Exception {
    try (FakeController one = new FakeController(asked -> found(2))) {
      use(LONG, one);

      assertThat(lookup(LONG))
          .isEqualTo(
              new LookupOutcome.Found(
                  List.of(new Holder("other", "LocalCPUBackend", 2, "10.0.0.7:8200", -1))));
      assertThat(one.asked)
          .containsExactly(
              new BatchedP2PLookupMsg(HASHES, "me", 3, KEYSPACE.toString(), lastSpan()));
      assertThat(directory.reachable()).isTrue();
    }
  }

  /** As a controller is told of it. */
  private String lastSpan() {
    SpanData span = spans.ended().getLast();
    assertThat(span.getName()).isEqualTo("directory lookup");
    return new Traceparent(span.getTraceId(), span.getSpanId(), true).toString();
  }

  @Test
  void lookup_ofAWideHash_asksForItsFirstEightBytes() throws Exception {
    try (FakeController one = new FakeController(asked -> found(1))) {
      use(LONG, one);
      byte[] digest = new byte[32];
      digest[7] = 5;
      digest[31] = 9;

      directory.lookup(KEYSPACE, List.of(ChunkHash.ofBytes(digest)), LONG);

      assertThat(((BatchedP2PLookupMsg) one.asked.getFirst()).hashes())
          .containsExactly(ChunkHash.ofUnsigned(5));
    }
  }

  @Test
  void lookup_thatNobodyHolds_isAMiss() throws Exception {
    try (FakeController one =
        new FakeController(asked -> new BatchedP2PLookupRetMsg(List.of(PeerLayout.MISS)))) {
      use(LONG, one);
      assertThat(lookup(LONG)).isEqualTo(new LookupOutcome.Miss());
    }
  }

  @Test
  void answer_withMoreChunksThanWereAskedFor_isCutToWhatWas() throws Exception {
    try (FakeController one = new FakeController(asked -> found(99))) {
      use(LONG, one);
      assertThat(((LookupOutcome.Found) lookup(LONG)).holders().getFirst().chunks()).isEqualTo(3);
    }
  }

  @Test
  void outcomes_areDistinct() throws Exception {
    try (FakeController one = new FakeController(asked -> NOT_READY)) {
      use(LONG, one);
      assertThat(lookup(LONG)).isEqualTo(new LookupOutcome.NotReady());
      one.fromNowOn(asked -> new ErrorMsg("no", ErrorMsg.BAD_REQUEST));
      assertThat(eventually()).isEqualTo(new LookupOutcome.Rejected("no"));
      one.fromNowOn(asked -> new HeartbeatRetMsg(List.of()));
      assertThat(lookup(LONG)).isInstanceOf(LookupOutcome.Rejected.class);
    }
    assertThat(counters.get(DirectoryCount.NOT_READY)).isEqualTo(1);
    assertThat(counters.get(DirectoryCount.REJECTED)).isGreaterThanOrEqualTo(2);
  }

  @Test
  void silentOne_isATimeoutAndThenIsPassedOver() throws Exception {
    try (FakeController one = new FakeController(asked -> null)) {
      use(Duration.ofMillis(300), one);
      assertThat(lookup(LONG)).isEqualTo(new LookupOutcome.TimedOut());
      await().until(() -> lookup(LONG) instanceof LookupOutcome.Unavailable);
    }
    assertThat(counters.get(DirectoryCount.TIMED_OUT)).isPositive();
    assertThat(counters.get(DirectoryCount.UNAVAILABLE)).isPositive();
  }

  /** A controller that failed is passed over for a moment. */
  private LookupOutcome eventually() throws InterruptedException {
    await().until(() -> !(lookup(LONG) instanceof LookupOutcome.Unavailable));
    return lookup(LONG);
  }

  @Test
  void lookup_movesOnFromASilentOrUnreadyController() throws Exception {
    try (FakeController silent = new FakeController(asked -> null);
        FakeController unready = new FakeController(asked -> NOT_READY);
        FakeController good = new FakeController(asked -> found(1))) {
      use(ATTEMPT, silent, unready, good);

      assertThat(lookup(LONG)).isInstanceOf(LookupOutcome.Found.class);
      assertThat(lookup(LONG)).isInstanceOf(LookupOutcome.Found.class);

      assertThat(silent.asked).hasSize(1);
      assertThat(unready.asked).hasSize(1);
      assertThat(counters.get(DirectoryCount.MOVED_ON)).isEqualTo(2);
    }
  }

  /** As a process that was stopped: its system accepts, and nobody ever says a word. */
  @Test
  void lookup_movesOnFromAControllerWhoseProcessIsStopped() throws Exception {
    try (ServerSocket stopped = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        FakeController good = new FakeController(asked -> found(1))) {
      use(ATTEMPT, "127.0.0.1:" + stopped.getLocalPort(), good.address());

      assertThat(lookup(LONG)).isInstanceOf(LookupOutcome.Found.class);
      assertThat(lookup(LONG)).isInstanceOf(LookupOutcome.Found.class);

      assertThat(counters.get(DirectoryCount.MOVED_ON)).isEqualTo(1);
      assertThat(directory.notFailing()).isEqualTo(1);
    }
  }

  @Test
  void controllerThatStopsAndGoesOn_isLeftAndAskedAgainWhenItIsNeeded() throws Exception {
    try (FakeController one = new FakeController(asked -> found(1));
        FakeController two = new FakeController(asked -> found(2))) {
      use(ATTEMPT, one, two);
      assertThat(best(lookup(LONG))).isEqualTo(1);

      one.fromNowOn(asked -> null);
      assertThat(best(lookup(LONG))).isEqualTo(2);
      one.fromNowOn(asked -> found(3));
      two.fromNowOn(asked -> NOT_READY);

      await()
          .until(
              () ->
                  lookup(LONG) instanceof LookupOutcome.Found found
                      && found.holders().getFirst().chunks() == 3);
    }
  }

  private static int best(LookupOutcome outcome) {
    return ((LookupOutcome.Found) outcome).holders().getFirst().chunks();
  }

  @Test
  void holders_areThoseToldWithTheirEpochs() throws Exception {
    List<PeerLayout> layouts =
        List.of(
            new PeerLayout("a", "LocalCPUBackend", 3, "10.0.0.1:1"),
            new PeerLayout("b", "LocalCPUBackend", 1, "10.0.0.2:1"));
    try (FakeController one =
        new FakeController(asked -> new BatchedP2PLookupRetMsg(layouts, List.of(7L, 8L)))) {
      use(LONG, one);
      LookupOutcome right =
          new LookupOutcome.Found(
              List.of(
                  new Holder("a", "LocalCPUBackend", 3, "10.0.0.1:1", 7),
                  new Holder("b", "LocalCPUBackend", 1, "10.0.0.2:1", 8)));
      assertThat(lookup(LONG)).isEqualTo(right);
      one.fromNowOn(asked -> new BatchedP2PLookupRetMsg(layouts, List.of(7L)));
      assertThat(((LookupOutcome.Found) lookup(LONG)).holders())
          .as("epochs that belong to nobody knows whom")
          .allMatch(it -> it.epoch() == Holder.UNKNOWN_EPOCH);
    }
  }

  @Test
  void lookup_ofSilentControllers_takesNoLongerThanItMay() throws Exception {
    try (FakeController one = new FakeController(asked -> null);
        FakeController two = new FakeController(asked -> null)) {
      use(Duration.ofMillis(400), one, two);
      long start = System.nanoTime();

      assertThat(lookup(Duration.ofMillis(500))).isEqualTo(new LookupOutcome.TimedOut());

      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
    }
  }

  @Test
  void silenceUnderAShortDeadline_isHeldAgainstNobody() throws Exception {
    try (FakeController one = new FakeController(asked -> found(1))) {
      use(LONG, one);
      assertThat(best(lookup(LONG))).isEqualTo(1);
      one.fromNowOn(asked -> null);
      assertThat(lookup(Duration.ofMillis(30))).isEqualTo(new LookupOutcome.TimedOut());
      one.fromNowOn(asked -> found(2));
      assertThat(directory.reachable()).isTrue();
      assertThat(directory.notFailing()).isEqualTo(1);
      assertThat(best(lookup(LONG))).isEqualTo(2);
    }
  }

  @Test
  void silenceUnderShortDeadlines_isFoundOutInTheEnd() throws Exception {
    try (FakeController silent = new FakeController(asked -> null);
        FakeController good = new FakeController(asked -> found(1))) {
      use(Duration.ofMillis(300), silent, good);
      await()
          .until(
              () -> {
                assertThat(lookup(Duration.ofMillis(50))).isEqualTo(new LookupOutcome.TimedOut());
                return directory.notFailing() == 1;
              });
      assertThat(lookup(LONG)).isInstanceOf(LookupOutcome.Found.class);
    }
  }

  @Test
  void lookup_withoutControllers_isUnavailable() throws Exception {
    use(LONG, new String[0]);
    assertThat(lookup(LONG)).isInstanceOf(LookupOutcome.Unavailable.class);
    assertThat(directory.reachable()).isFalse();
  }

  @Test
  void lookup_afterAControllerCameBack_works() throws Exception {
    try (FakeController one = new FakeController(asked -> null)) {
      use(Duration.ofMillis(200), one);
      assertThat(lookup(LONG)).isEqualTo(new LookupOutcome.TimedOut());
      one.fromNowOn(asked -> found(1));

      await().until(() -> lookup(LONG) instanceof LookupOutcome.Found);
    }
  }

  @Test
  void answer_thatComesTooLate_isDroppedAndCounted() throws Exception {
    CountDownLatch givenUp = new CountDownLatch(1);
    try (FakeController one =
        new FakeController(
            asked -> {
              hangUntil(givenUp);
              return found(1);
            })) {
      use(Duration.ofMillis(200), one);
      assertThat(lookup(LONG)).isEqualTo(new LookupOutcome.TimedOut());
      givenUp.countDown();

      await()
          .untilAsserted(() -> assertThat(counters.get(DirectoryCount.FOREIGN_REPLY)).isEqualTo(1));
    }
  }

  private static void hangUntil(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void heartbeats_goToOneControllerInTurnAndPassOnWhatItSays() throws Exception {
    List<String> wanted = new CopyOnWriteArrayList<>();
    List<Long> epochs = new CopyOnWriteArrayList<>();
    HeartbeatListener listener =
        new HeartbeatListener() {
          @Override
          public void snapshotWanted(String reason) {
            wanted.add(reason);
          }

          @Override
          public void epochSeen(long epoch) {
            epochs.add(epoch);
          }
        };
    HeartbeatMsg heartbeat = new HeartbeatMsg("me", 3, "10.0.0.1", 1, "10.0.0.1:2", 5L);
    try (FakeController one =
            new FakeController(
                asked -> new HeartbeatRetMsg(List.of(new FullSyncCommand("differs", null)), 5L));
        FakeController two = new FakeController(asked -> new HeartbeatRetMsg(List.of(), 9L))) {
      use(Duration.ofSeconds(5), one, two);
      try (HeartbeatSender sender =
          new HeartbeatSender(
              directory, () -> heartbeat, listener, Duration.ofMillis(50), counters)) {
        sender.start();
        await()
            .until(
                () ->
                    one.asked.size() >= 2
                        && two.asked.size() >= 2
                        && !wanted.isEmpty()
                        && epochs.contains(9L));
      }
      assertThat(one.asked).containsOnly(heartbeat);
      assertThat(wanted).containsOnly("differs");
      assertThat(epochs).contains(5L, 9L);
    }
  }

  @Test
  void heartbeat_movesOnFromASilentController() throws Exception {
    HeartbeatMsg heartbeat = new HeartbeatMsg("me", 3, "10.0.0.1", 1, null);
    try (FakeController silent = new FakeController(asked -> null);
        FakeController good = new FakeController(asked -> new HeartbeatRetMsg(List.of()))) {
      use(Duration.ofSeconds(2), silent, good);

      assertThat(directory.heartbeat(0, heartbeat, LONG))
          .isEqualTo(new Exchange.Answered(new HeartbeatRetMsg(List.of())));
      assertThat(good.asked).hasSize(1);
    }
  }
}
