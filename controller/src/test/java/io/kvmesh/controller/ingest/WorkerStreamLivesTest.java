package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.KeyFormatException;
import io.kvmesh.common.wire.Formats;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.OpType;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.wire.event.DownReason;
import io.kvmesh.common.wire.event.DrainState;
import io.kvmesh.common.wire.event.Heartbeat;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.controller.fixture.Workers;
import io.kvmesh.controller.registry.LastBeat;
import io.kvmesh.controller.registry.WorkerState;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How workers begin, end and fall silent; some names of cases are those of the design. */
final class WorkerStreamLivesTest {

  private final TestView view = new TestView();
  private final TestAgent agent = new TestAgent("a");

  @Test
  void anAgentRestarts_noneOfItsOldChunksIsOffered_allOfItsNewOnesAre() {
    view.start(agent);
    view.append(agent.admit(1, 2, 3));
    view.start(agent);
    view.append(agent.admit(3, 4));

    assertThat(view.held(agent)).containsExactlyInAnyOrder(3L, 4L);
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.LIVE);
    assertThat(view.view(agent).epoch()).isEqualTo(agent.epoch());
  }

  @Test
  void theOldProcessWakesUpAfterTheNewOnesWorkerUp_itsEventsAreDroppedAndCounted() {
    TestAgent old = new TestAgent("a");
    view.start(old);
    view.append(old.admit(1));
    view.start(agent);
    view.append(agent.admit(2));

    view.append(old.admit(7));
    view.append(old.heartbeat());
    view.appendAll(old.snapshot());
    view.append(old.down(DownReason.DEREGISTERED));

    assertThat(view.held(agent)).containsExactly(2L);
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.LIVE);
    assertThat(view.view(agent).epoch()).isEqualTo(agent.epoch());
    assertThat(view.view(agent).stale()).isEqualTo(6);
    assertThat(view.counters.counts().stale()).isEqualTo(6);
  }

  @Test
  void aWorkerThatNamesEverNewLocations_isBoundedAndItsOthersGoOn() {
    view.start(agent);
    view.append(agent.admit(1));
    for (int i = 1; i < RecordNames.MAX; i++) {
      view.append(elsewhere("location-" + i));
    }

    assertThatThrownBy(() -> view.append(elsewhere("one-too-many")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at most 64 locations");
    assertThatThrownBy(() -> view.append(elsewhere("a\nb"))).isInstanceOf(KeyFormatException.class);

    view.append(agent.admit(2));
    assertThat(view.view(agent).locations()).hasSize(RecordNames.MAX);
    assertThat(view.held(agent)).contains(1L, 2L);
    view.start(agent);
    view.append(elsewhere("of-a-new-life"));
    assertThat(view.view(agent).locations()).hasSize(1);
  }

  private LogEvent elsewhere(String location) {
    return new BatchedKVOperation(
        agent.id().instanceId(),
        agent.id().rank(),
        agent.epoch(),
        location,
        Workers.keyspace().toString(),
        List.of(new KVOpEvent(OpType.ADMIT, ChunkHash.ofSigned(9), 1)));
  }

  @Test
  void goodbye_forgetsTheWorker() {
    view.start(agent);
    view.append(agent.admit(1, 2));
    view.append(agent.down(DownReason.DEREGISTERED));

    assertThat(view.knows(agent)).isFalse();
    assertThat(view.held(agent)).isEmpty();
    view.append(agent.down(DownReason.EXPIRED));
    assertThat(view.knows(agent)).isFalse();
  }

  @Test
  void workerDownCrossesAHeartbeat_theWorkerComesBackSuspect_itsSnapshotFillsIt() {
    view.start(agent);
    view.append(agent.admit(1, 2));
    view.append(agent.down(DownReason.EXPIRED));
    view.append(agent.heartbeat());

    assertThat(view.held(agent)).isEmpty();
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.SUSPECT);
    assertThat(view.view(agent).epoch()).isEqualTo(agent.epoch());

    view.append(agent.admit(3));
    view.appendAll(agent.snapshot());
    assertThat(view.held(agent)).containsExactlyInAnyOrder(1L, 2L, 3L);
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.LIVE);
  }

  @Test
  void downedWorkerThatComesBackWithAnOperation_isSuspect() {
    view.start(agent);
    view.append(agent.admit(1));
    view.append(agent.down(DownReason.EXPIRED));
    view.append(agent.admit(2));

    assertThat(view.view(agent).state()).isEqualTo(WorkerState.SUSPECT);
    assertThat(view.view(agent).announcement()).isNull();
    view.append(agent.heartbeat());
    assertThat(view.view(agent).announcement()).isEqualTo(TestAgent.announcement());
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.SUSPECT);
  }

  @Test
  void readerThatStartsInTheMiddle_isRightAfterOneSnapshot() {
    view.lose(agent.up());
    agent.acknowledged(500);
    view.lose(agent.admit(1, 2));
    view.append(agent.admit(3));
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.SUSPECT);
    view.append(agent.heartbeat());
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.SUSPECT);

    view.appendAll(agent.snapshot());

    assertThat(view.held(agent)).containsExactlyInAnyOrder(1L, 2L, 3L);
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.LIVE);
  }

  @Test
  void readerThatStartsInTheMiddleOfAnEmptyWorker_isRightAtOnce() {
    view.lose(agent.up());
    agent.acknowledged(500);
    view.append(agent.heartbeat());

    assertThat(view.view(agent).state()).isEqualTo(WorkerState.LIVE);
  }

  @Test
  void silentWorker_isHiddenThenWrittenOff_andAHeartbeatShowsItAgain() {
    view.start(agent);
    view.append(agent.admit(1));
    view.ticks(3);
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.LIVE);
    view.ticks(1);
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.SILENT);
    assertThat(view.held(agent)).containsExactly(1L);

    view.append(agent.heartbeat());
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.LIVE);

    view.ticks(12);
    assertThat(view.streams.expired(TestView.PARTITION)).isEmpty();
    view.ticks(1);
    assertThat(view.streams.expired(TestView.PARTITION))
        .containsExactly(view.streams.stream(agent.id()));
  }

  @Test
  void outageOfTheLog_makesNobodySilent() {
    TestAgent other = new TestAgent("b");
    view.start(agent);
    view.start(other);
    view.pass(Duration.ofMinutes(10));
    view.append(other.heartbeat());

    assertThat(view.view(agent).state()).isEqualTo(WorkerState.LIVE);
    assertThat(view.streams.expired(TestView.PARTITION)).isEmpty();
  }

  @Test
  void foreignWorkerWithoutHeartbeats_isNeverSilent() {
    view.append(TestAgent.foreignAdmit(0, 1));
    view.ticks(100);

    assertThat(view.streams.expired(TestView.PARTITION)).isEmpty();
  }

  @Test
  void agentsClock_isComparedWithTheBrokersAtEachHeartbeat() {
    view.start(agent);
    assertThat(view.view(agent).lastBeat()).isEqualTo(LastBeat.UNTOLD);
    long now = view.millis();
    view.append(sentAt(now + 7_000));
    assertThat(view.view(agent).lastBeat().clockAheadMillis()).isEqualTo(7_000);
    view.append(sentAt(now - 20));
    assertThat(view.view(agent).lastBeat().clockAheadMillis()).isEqualTo(-20);
    view.append(agent.heartbeat(0, 0, 0));
    assertThat(view.view(agent).lastBeat().clockAheadMillis()).isNull();
  }

  private Heartbeat sentAt(long millis) {
    return new Heartbeat(
        Formats.CURRENT,
        agent.id().instanceId(),
        agent.id().rank(),
        agent.epoch(),
        TestAgent.announcement(),
        List.of(),
        millis,
        DrainState.DRAINED);
  }

  @Test
  void brokersClockJumpsAheadAndIsPutRight_nobodyIsWrittenOff_andSilenceIsNoticedAsBefore() {
    TestAgent dead = new TestAgent("dead");
    view.start(agent);
    view.start(dead);
    view.append(agent.admit(1));
    view.pass(Duration.ofDays(1));
    view.append(agent.heartbeat());
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.LIVE);
    assertThat(view.view(dead).state()).isEqualTo(WorkerState.LIVE);

    view.pass(Duration.ofDays(-1));
    for (int i = 0; i < 3; i++) {
      view.pass(Duration.ofSeconds(5));
      view.append(agent.heartbeat());
    }

    assertThat(view.view(agent).state()).isEqualTo(WorkerState.LIVE);
    assertThat(view.view(dead).state()).isEqualTo(WorkerState.SILENT);
    assertThat(view.held(agent)).containsExactly(1L);
  }
}
