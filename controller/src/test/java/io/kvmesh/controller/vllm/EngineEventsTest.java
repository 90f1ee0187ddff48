package io.kvmesh.controller.vllm;

import static io.kvmesh.controller.vllm.FakeEngine.removed;
import static io.kvmesh.controller.vllm.FakeEngine.stored;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.Bytes;
import io.kvmesh.common.wire.event.EnginePosition;
import io.kvmesh.common.wire.vllm.AllBlocksCleared;
import io.kvmesh.common.wire.vllm.BlockHash;
import io.kvmesh.common.wire.vllm.BlockRemoved;
import io.kvmesh.common.wire.vllm.KvEvent.Style;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSockets;
import io.kvmesh.controller.fixture.FakeLog;
import io.kvmesh.controller.fixture.Workers;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerView;
import io.kvmesh.controller.vllm.EngineCounts.Cleared;
import io.kvmesh.controller.vllm.EngineCounts.Ignored;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Engines at real sockets, and what comes of their events on the log. */
@Timeout(120)
class EngineEventsTest {

  private static final WorkerId ID = new WorkerId("vllm-0", 1);
  private static final String TOPIC = "kv@";
  private static final Duration WAIT = Duration.ofSeconds(60);

  private final ZmqSockets sockets = new ZmqSockets();
  private final FakeLog log = new FakeLog();
  private final WorkerRegistry registry = new WorkerRegistry();
  private final EngineCounts counts = new EngineCounts();
  private final View view = new View();
  private final List<AutoCloseable> open = new ArrayList<>();
  private FakeEngine engine;

  private static final class View implements OwnedView {

    private volatile boolean owner = true;

    @Override
    public boolean ready() {
      return true;
    }

    @Override
    public CompletableFuture<Boolean> caughtUp(Duration timeout) {
      return CompletableFuture.completedFuture(true);
    }

    @Override
    public boolean owns(WorkerId worker) {
      return owner;
    }
  }

  @BeforeEach
  void start() {
    engine = FakeEngine.start(sockets, TOPIC + "m");
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
    engine.close();
    sockets.close();
  }

  private EngineEvents follow(boolean replays, View by) {
    var settings =
        new EngineSettings(
            ID,
            engine.endpoint(),
            replays ? engine.replayEndpoint() : "",
            TOPIC,
            "m",
            FakeEngine.BLOCK_TOKENS,
            "",
            "");
    var events =
        new EngineEvents(
            new EventsSettings(
                List.of(settings),
                SocketSettings.DEFAULT,
                Duration.ofSeconds(5),
                1 << 20,
                Duration.ofMillis(200),
                Duration.ofSeconds(1)),
            sockets,
            by,
            registry,
            log,
            counts);
    open.add(events);
    events.start();
    return events;
  }

  private EngineEvents follow() {
    EngineEvents events = follow(true, view);
    awaitState(events, EngineState.FOLLOWING);
    return events;
  }

  private static void awaitState(EngineEvents events, EngineState state) {
    await().atMost(WAIT).until(() -> events.engines(state) == 1);
  }

  private LoggedEngine logged() {
    return LoggedEngine.of(log);
  }

  private void awaitBlocks(String... blocks) {
    await().atMost(WAIT).until(() -> logged().blocks.equals(Set.of(blocks)));
  }

  @Test
  void events_ofEitherStyle_areOnTheLog() {
    engine.publish(Style.ARRAY, stored(1, 2));
    follow();
    awaitBlocks("GPU:1", "GPU:2");
    engine.publish(Style.MAP, stored(3, -1), removed(1));
    Bytes digest = Bytes.of(new byte[] {9, 9, 9, 9, 9, 9, 9, 9, 0, 0, 0, 0, 0, 0, 0, 2});
    engine.publish(Style.ARRAY, new BlockRemoved(List.of(BlockHash.of(digest)), null, null));
    engine.publish(stored("CPU", FakeEngine.BLOCK_TOKENS, null, null, 7));

    awaitBlocks("GPU:3", "GPU:-1", "CPU:7");
    LoggedEngine logged = logged();
    assertThat(logged.lives).isEqualTo(1);
    assertThat(logged.incomplete).isFalse();
    await().atMost(WAIT).until(() -> logged().announcement().position() != null);
    assertThat(logged().announcement().model()).isEqualTo("m");
  }

  @Test
  void blocksOfOtherKinds_arePassedOver() {
    follow();
    engine.publish(stored("cpu", 256, null, null, 1));
    engine.publish(stored("GPU", FakeEngine.BLOCK_TOKENS, 1, "sliding_window", 2));
    engine.publish(stored("GPU", FakeEngine.BLOCK_TOKENS, 0, "full_attention", 2, 3));
    engine.publish(new BlockRemoved(List.of(BlockHash.of(2)), "GPU", 1));
    engine.publish(stored("", FakeEngine.BLOCK_TOKENS, null, null, 4));

    awaitBlocks("GPU:2", "GPU:3");
    await().atMost(WAIT).until(() -> counts.ignoreds(Ignored.MEDIUM) == 1);
    assertThat(counts.ignoreds(Ignored.BLOCK_SIZE)).isEqualTo(1);
    assertThat(counts.ignoreds(Ignored.GROUP)).isEqualTo(2);
  }

  @Test
  void gap_isFilledByReplay() {
    follow();
    engine.publish(stored(1));
    engine.lose(stored(2), removed(1));
    engine.lose(stored(3));
    engine.publish(stored(4));

    awaitBlocks("GPU:2", "GPU:3", "GPU:4");
    assertThat(logged().lives).isEqualTo(1);
  }

  @Test
  void lastBatchThatGotLost_isAskedForThoughNothingFollows() {
    follow();
    engine.publish(stored(1));
    awaitBlocks("GPU:1");
    engine.lose(removed(1), stored(2));

    awaitBlocks("GPU:2");
  }

  @Test
  void gapThatTheEngineCantFill_isAHole() {
    follow();
    engine.publish(stored(1));
    awaitBlocks("GPU:1");
    engine.loseForGood();
    engine.publish(stored(3));

    awaitBlocks("GPU:1", "GPU:3");
    awaitHoles(1);
    assertThat(logged().lives).isEqualTo(1);
    assertThat(counts.losses()).isEqualTo(1);
  }

  private void awaitHoles(int holes) {
    await()
        .atMost(WAIT)
        .until(
            () -> {
              EnginePosition position = logged().announcement().position();
              return position != null && position.holes() == holes;
            });
  }

  @Test
  void withoutReplay_aGapIsAHole() {
    EngineEvents events = follow(false, view);
    awaitState(events, EngineState.FOLLOWING);
    await()
        .atMost(WAIT)
        .until(
            () -> {
              // Until the subscription has reached the engine.
              engine.publish(stored(1));
              return !logged().blocks.isEmpty();
            });
    engine.lose(stored(2));
    engine.publish(stored(3));

    awaitBlocks("GPU:1", "GPU:3");
    awaitHoles(1);
  }

  @Test
  void restart_emptiesTheIndexFirst() {
    follow();
    engine.publish(stored(1));
    awaitBlocks("GPU:1");

    engine = engine.restart(sockets);
    engine.publish(stored(2));
    engine.publish(stored(3));

    awaitBlocks("GPU:2", "GPU:3");
    assertThat(logged().incomplete).isFalse();
    assertThat(counts.cleareds(Cleared.RESTART)).isEqualTo(1);
  }

  @Test
  void clearedByTheEngine_isEmpty() {
    follow();
    engine.publish(stored(1), stored(2));
    engine.publish(removed(1), new AllBlocksCleared(), stored(3));

    awaitBlocks("GPU:3");
    assertThat(logged().incomplete).isFalse();
    assertThat(counts.cleareds(Cleared.TOLD)).isEqualTo(1);
  }

  @Test
  void batchesThatCantBeRead_harmNoOther() {
    follow();
    engine.publish(stored(1));
    engine.publish(new byte[] {(byte) 0xc1});
    engine.publish(new byte[0]);
    engine.publish(stored(2));

    awaitBlocks("GPU:1", "GPU:2");
    awaitHoles(2);
    assertThat(logged().lives).isEqualTo(1);
    assertThat(counts.garbages()).isEqualTo(2);
  }

  @Test
  void framesThatAreNoBatch_areCounted_andHarmNothing() {
    follow();
    engine.publish(stored(1));
    byte[] topic = TOPIC.getBytes(StandardCharsets.UTF_8);
    byte[] minusOne = new byte[8];
    Arrays.fill(minusOne, (byte) 0xff);
    engine.publishFrames(topic);
    engine.publishFrames(topic, new byte[8]);
    engine.publishFrames(topic, new byte[7], new byte[1]);
    engine.publishFrames(topic, minusOne, new byte[1]);
    engine.publishFrames(topic, new byte[8], new byte[1], new byte[0]);
    engine.publish(stored(2));

    awaitBlocks("GPU:1", "GPU:2");
    assertThat(logged().lives).isEqualTo(1);
    assertThat(counts.garbages()).isEqualTo(5);
    assertThat(counts.gaps() + counts.losses()).isZero();
  }

  @Test
  void anotherOwner_goesOnFromThePositionOnTheLog() {
    EngineEvents former = follow();
    engine.publish(stored(1));
    engine.publish(stored(2));
    awaitBlocks("GPU:1", "GPU:2");
    await().atMost(WAIT).until(() -> logged().announcement().position() != null);
    view.owner = false;
    awaitState(former, EngineState.ELSEWHERE);
    LoggedEngine before = logged();
    registry.put(before.view(ID));
    engine.publish(removed(1), stored(3));

    EngineEvents next = follow(true, new View());
    awaitBlocks("GPU:2", "GPU:3");
    awaitState(next, EngineState.FOLLOWING);
    assertThat(logged().lives).isEqualTo(before.lives);
    assertThat(former.engines(EngineState.ELSEWHERE)).isEqualTo(1);
  }

  @Test
  void lifeThatWasWrittenOff_isToldAnew() {
    follow();
    engine.publish(stored(1));
    awaitBlocks("GPU:1");
    LoggedEngine logged = logged();
    registry.put(logged.view(ID));
    await().atMost(WAIT).until(() -> logged().heartbeats > logged.heartbeats + 1);
    registry.put(writtenOffAndBack(logged.view(ID)));

    await().atMost(WAIT).until(() -> logged().lives == 2);
    awaitBlocks("GPU:1");
  }

  private static WorkerView writtenOffAndBack(WorkerView view) {
    return new WorkerView(
        view.id(),
        view.state(),
        true,
        view.epoch(),
        view.announcement(),
        view.locations(),
        view.registeredMillis() + 60_000,
        view.lastHeartbeatMillis(),
        view.lastSeenMillis(),
        view.partition(),
        view.appliedOffset(),
        view.stale(),
        view.sync(),
        view.lastBeat());
  }

  @Test
  void logThatTakesNothing_getsItLater() {
    follow();
    engine.publish(stored(1));
    awaitBlocks("GPU:1");
    log.failWith(new IllegalStateException("away"));
    engine.publish(stored(2));
    engine.publish(removed(1), stored(3));
    await().atMost(WAIT).until(() -> counts.logFailures() > 0);
    log.failWith(null);

    awaitBlocks("GPU:2", "GPU:3");
    assertThat(logged().lives).isEqualTo(1);
  }

  @Test
  void nameOfAnAgent_isAConflict_andNothingIsWritten() {
    registry.put(Workers.live(ID, 5, Workers.agent("url")));
    EngineEvents events = follow(true, view);
    awaitState(events, EngineState.CONFLICT);

    engine.publish(stored(1));
    assertThat(log.events()).isEmpty();
    registry.remove(ID);
    awaitState(events, EngineState.FOLLOWING);
    awaitBlocks("GPU:1");
  }

  @Test
  void engineThatIsGone_getsNoSignsOfLife() {
    EngineEvents events = follow();
    await().atMost(WAIT).until(() -> logged().heartbeats > 1);
    engine.close();
    awaitState(events, EngineState.UNREACHABLE);
    AtomicInteger heartbeats = new AtomicInteger();

    assertThat(events.engines(EngineState.FOLLOWING)).isZero();
    await()
        .during(Duration.ofMillis(500))
        .until(
            () -> {
              int now = logged().heartbeats;
              return heartbeats.getAndSet(now) == now;
            });
  }
}
