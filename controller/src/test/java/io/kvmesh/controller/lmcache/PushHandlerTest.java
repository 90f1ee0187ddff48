package io.kvmesh.controller.lmcache;

import static io.kvmesh.controller.fixture.Workers.CPU;
import static io.kvmesh.controller.fixture.Workers.agent;
import static io.kvmesh.controller.fixture.Workers.foreign;
import static io.kvmesh.controller.fixture.Workers.live;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.KeyFormatException;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.OpType;
import io.kvmesh.common.wire.directory.BatchedKVOperationMsg;
import io.kvmesh.common.wire.directory.DeRegisterMsg;
import io.kvmesh.common.wire.directory.DirectoryMessage;
import io.kvmesh.common.wire.directory.FullSyncBatchMsg;
import io.kvmesh.common.wire.directory.FullSyncEndMsg;
import io.kvmesh.common.wire.directory.HeartbeatMsg;
import io.kvmesh.common.wire.directory.KVAdmitMsg;
import io.kvmesh.common.wire.directory.KVEvictMsg;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.wire.event.DownReason;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.SnapshotBatch;
import io.kvmesh.common.wire.event.SnapshotEnd;
import io.kvmesh.common.wire.event.WorkerDown;
import io.kvmesh.common.wire.event.WorkerUp;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.controller.fixture.FakeLog;
import io.kvmesh.controller.registry.WorkerRegistry;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PushHandlerTest {

  static final FrontSettings SETTINGS =
      new FrontSettings(
          "tcp://127.0.0.1:0",
          "tcp://127.0.0.1:0",
          "tcp://127.0.0.1:0",
          "",
          SocketSettings.DEFAULT,
          Duration.ofSeconds(5),
          3,
          2,
          Duration.ofSeconds(5),
          3,
          Duration.ofSeconds(10));
  private static final WorkerId A = new WorkerId("A", 2);

  private final FakeLog log = new FakeLog();
  private final WorkerRegistry registry = new WorkerRegistry();
  private final FakeView view = new FakeView();
  private final FrontCounts counts = new FrontCounts();
  private final ForeignWorkers workers = new ForeignWorkers(log, registry, counts);
  private final PushHandler handler =
      new PushHandler(
          workers,
          registry,
          new Conflicts(registry, view, SETTINGS.holdFor(), counts),
          view,
          SETTINGS,
          counts);

  @Test
  void locationThatIsNone_isRefusedBeforeTheLog() {
    registry.put(live(A, 9, foreign("url")));
    for (String location : List.of("", " ", "a\u0000b", "line\nbreak", "x".repeat(201))) {
      for (DirectoryMessage message :
          List.of(
              new BatchedKVOperationMsg("A", 2, location, List.of(op(5))),
              new KVAdmitMsg("A", 2, ChunkHash.ofSigned(5), location, 5),
              new FullSyncBatchMsg("A", 2, location, "sync", 0, List.of()),
              new FullSyncEndMsg("A", 2, location, "sync", 0))) {
        assertThatThrownBy(() -> handler.handle(message))
            .isInstanceOf(KeyFormatException.class)
            .hasMessageContaining("location");
      }
    }
    assertThat(log.events()).isEmpty();
  }

  @Test
  void knownWorker_itsOperationsGoToTheLogWithItsOwnNumbers() {
    registry.put(live(A, 9, foreign("url")));

    handler.handle(operations(A, 5, 6));

    assertThat(log.events())
        .containsExactly(
            new BatchedKVOperation("A", 2, 9, CPU, "foreign@2", List.of(op(5), op(6))));
  }

  @Test
  void manyOperations_areSplitInOrder() {
    registry.put(live(A, 9, foreign("url")));

    handler.handle(operations(A, LongStream.range(0, 2500).toArray()));

    assertThat(log.events())
        .extracting(event -> ((BatchedKVOperation) event).operations().size())
        .containsExactly(1000, 1000, 500);
  }

  @Test
  void goodbyeOfAProcessThatAnotherHasReplaced_isCountedAndNotPassedOn() {
    registry.put(live(A, 9, foreign("url")));

    handler.handle(new DeRegisterMsg("A", 2, "10.0.0.9", 1));

    assertThat(log.events()).isEmpty();
    assertThat(counts.conflicts()).isEqualTo(1);
  }

  @Test
  void singleAdmitsAndEvictsOfOlderWorkers_areBatchesOfOne() {
    registry.put(live(A, 9, foreign("url")));

    handler.handle(new KVAdmitMsg("A", 2, ChunkHash.ofSigned(1), CPU, 1));
    handler.handle(new KVEvictMsg("A", 2, ChunkHash.ofSigned(1), CPU, 2));

    assertThat(log.events())
        .containsExactly(
            new BatchedKVOperation("A", 2, 9, CPU, "foreign@2", List.of(op(1))),
            new BatchedKVOperation(
                "A",
                2,
                9,
                CPU,
                "foreign@2",
                List.of(new KVOpEvent(OpType.EVICT, ChunkHash.ofSigned(1), 2))));
  }

  @Test
  void partsOfAFullSync_goToTheLog_aLargeBatchWithItsNumberLast() {
    registry.put(live(A, 9, foreign("url")));

    handler.handle(batch(3, 5));
    handler.handle(batch(4, 45_000));
    handler.handle(new FullSyncEndMsg("A", 2, CPU, "s", 7));

    assertThat(log.events()).hasSize(5);
    assertThat(log.events().subList(0, 4))
        .extracting(event -> ((SnapshotBatch) event).batchId())
        .containsExactly(3, SnapshotBatch.PART, SnapshotBatch.PART, 4);
    assertThat(log.events().subList(0, 4))
        .extracting(event -> ((SnapshotBatch) event).keys().size())
        .containsExactly(5, 20_000, 20_000, 5_000);
    assertThat(log.events().getLast())
        .isEqualTo(new SnapshotEnd("A", 2, 9, CPU, "s", SnapshotEnd.UNTOLD, 0, 7, 0));
  }

  @Test
  void endOfAFullSync_withAnIdWithoutBound_isRefused() {
    registry.put(live(A, 9, foreign("url")));

    assertThatThrownBy(() -> handler.handle(new FullSyncEndMsg("A", 2, CPU, "x".repeat(513), 7)))
        .isInstanceOf(KeyFormatException.class);
    assertThat(log.events()).isEmpty();
  }

  @Test
  void batchOfAFullSync_withANumberThatCantBe_isCounted() {
    registry.put(live(A, 9, foreign("url")));

    handler.handle(batch(-1, 1));
    handler.handle(batch(1 << 16, 1));

    assertThat(log.events()).isEmpty();
    assertThat(counts.losses(FrontCounts.Loss.BATCH_NUMBER)).isEqualTo(2);
  }

  private static FullSyncBatchMsg batch(int number, int keys) {
    return new FullSyncBatchMsg(
        "A", 2, CPU, "s", number, LongStream.range(0, keys).mapToObj(ChunkHash::ofSigned).toList());
  }

  @Test
  void goodbye_isWorkerDown() {
    registry.put(live(A, 9, foreign("url")));

    handler.handle(new DeRegisterMsg("A", 2, "127.0.0.1", 1));

    assertThat(log.events())
        .containsExactly(new WorkerDown("A", 2, 9, DownReason.DEREGISTERED, -1));
  }

  @Test
  void registeredHere_needsNotWaitForTheView() {
    assertThat(workers.register(A, foreign("url"))).isDone();

    handler.handle(operations(A, 1));

    assertThat(log.events()).hasSize(2);
    assertThat(((BatchedKVOperation) log.events().get(1)).epoch()).isEqualTo(100);
    assertThat(log.events().getFirst()).isInstanceOf(WorkerUp.class);
  }

  @Test
  void registeredAnew_theLaterEpochCounts() {
    registry.put(live(A, 9, foreign("url")));
    assertThat(workers.register(A, foreign("url"))).isDone();

    handler.handle(operations(A, 1));

    assertThat(((BatchedKVOperation) log.events().get(1)).epoch()).isEqualTo(100);

    registry.put(live(A, 200, foreign("url")));
    handler.handle(operations(A, 2));
    assertThat(((BatchedKVOperation) log.events().get(2)).epoch()).isEqualTo(200);
  }

  @Test
  void unknownWorker_waitsForTheViewAndKeepsItsOrder() {
    handler.handle(operations(A, 1));
    handler.handle(operations(A, 2));
    assertThat(log.events()).isEmpty();
    assertThat(counts.held()).isEqualTo(2);

    registry.put(live(A, 9, foreign("url")));
    handler.handle(operations(A, 3));

    assertThat(log.events()).extracting(PushHandlerTest::firstNumber).containsExactly(1L, 2L, 3L);
    assertThat(counts.held()).isZero();
  }

  @Test
  void unknownWorkerThatTheViewLearns_isDeliveredByTheNextTick() {
    handler.handle(operations(A, 1));
    handler.tick();
    assertThat(log.events()).isEmpty();

    registry.put(live(A, 9, foreign("url")));
    view.catchUp();
    handler.tick();

    assertThat(log.events()).hasSize(1);
  }

  @Test
  void stillUnknownWhenTheViewHasReadThatFar_isDroppedAndCounted() {
    handler.handle(operations(A, 1));
    handler.handle(operations(A, 2));

    view.catchUp();
    handler.tick();

    // The second came after the wait had begun: it gets one of its own.
    assertThat(counts.losses(FrontCounts.Loss.UNKNOWN_WORKER)).isEqualTo(1);
    assertThat(counts.held()).isEqualTo(1);
    view.catchUp();
    handler.tick();
    assertThat(counts.losses(FrontCounts.Loss.UNKNOWN_WORKER)).isEqualTo(2);
    assertThat(counts.held()).isZero();
    assertThat(view.waits()).isZero();
  }

  @Test
  void moreThanMayWait_isDroppedAndCounted() {
    for (int i = 0; i < 5; i++) {
      handler.handle(operations(new WorkerId("unknown" + i, 0), 1));
    }

    assertThat(counts.held()).isEqualTo(3);
    assertThat(counts.losses(FrontCounts.Loss.NO_ROOM)).isEqualTo(2);
  }

  @Test
  void logFull_whatWasHeldOfAWorkerThatIsKnownNow_waitsForRoomInOrder() {
    handler.handle(operations(A, 1));
    handler.handle(operations(A, 2));
    log.roomFor(1);
    registry.put(live(A, 9, foreign("url")));
    handler.handle(operations(A, 3));
    assertThat(log.events()).extracting(PushHandlerTest::firstNumber).containsExactly(1L);

    view.catchUp();
    handler.tick();
    assertThat(counts.held()).isEqualTo(2);
    log.roomFor(1);
    handler.tick();
    assertThat(log.events()).extracting(PushHandlerTest::firstNumber).containsExactly(1L, 2L);
    log.full(false);
    handler.tick();

    assertThat(log.events()).extracting(PushHandlerTest::firstNumber).containsExactly(1L, 2L, 3L);
    assertThat(counts.held()).isZero();
    for (FrontCounts.Loss loss : FrontCounts.Loss.values()) {
      assertThat(counts.losses(loss)).as("%s", loss).isZero();
    }
  }

  @Test
  void logFull_whatIsStillUnknownBehindIt_isDecidedWhenThereIsRoom() {
    handler.handle(operations(A, 1));
    handler.handle(operations(new WorkerId("unknown", 0), 2));
    log.full(true);
    registry.put(live(A, 9, foreign("url")));
    view.catchUp();
    handler.tick();
    assertThat(counts.held()).isEqualTo(2);

    log.full(false);
    handler.tick();
    view.catchUp();
    handler.tick();

    assertThat(log.events()).hasSize(1);
    assertThat(counts.losses(FrontCounts.Loss.UNKNOWN_WORKER)).isEqualTo(1);
    assertThat(counts.held()).isZero();
  }

  @Test
  void agent_isNotSpokenFor() {
    registry.put(live(A, 9, agent("url")));

    handler.handle(operations(A, 1));

    assertThat(log.events()).isEmpty();
    assertThat(counts.losses(FrontCounts.Loss.AGENT)).isEqualTo(1);
  }

  @Test
  void logAway_isCounted() {
    registry.put(live(A, 9, foreign("url")));
    log.failWith(new IllegalStateException("away"));

    handler.handle(operations(A, 1));

    assertThat(counts.losses(FrontCounts.Loss.LOG)).isEqualTo(1);
  }

  @Test
  void messageOfAnotherKind_isCounted() {
    handler.handle(new HeartbeatMsg("A", 2, "127.0.0.1", 1, "url"));

    assertThat(counts.unsupporteds(FrontCounts.Door.PULL)).isEqualTo(1);
  }

  private static BatchedKVOperationMsg operations(WorkerId worker, long... numbers) {
    return new BatchedKVOperationMsg(
        worker.instanceId(),
        worker.rank(),
        CPU,
        LongStream.of(numbers).mapToObj(PushHandlerTest::op).toList());
  }

  private static KVOpEvent op(long number) {
    return new KVOpEvent(OpType.ADMIT, ChunkHash.ofSigned(number), number);
  }

  private static long firstNumber(LogEvent event) {
    return ((BatchedKVOperation) event).operations().getFirst().seqNum();
  }
}
