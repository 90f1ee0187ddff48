package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.Formats;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.OpType;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.wire.event.DownReason;
import io.kvmesh.common.wire.event.Heartbeat;
import io.kvmesh.common.wire.event.LocationState;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.controller.registry.LastBeat;
import io.kvmesh.controller.registry.LocationView;
import io.kvmesh.controller.registry.WorkerState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The rules of the log, one by one; the names of the cases are those of the design. */
final class WorkerStreamTest {

  private final TestView view = new TestView();
  private final TestAgent agent = new TestAgent("a");

  // ---- operations and their numbers

  @Test
  void operationsFromTheStart_areLiveAndEqual() {
    view.start(agent);
    view.append(agent.admit(1, 2, 3));
    view.append(agent.evict(2));
    view.append(agent.heartbeat());

    assertThat(view.held(agent)).containsExactlyInAnyOrder(1L, 3L);
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.LIVE);
    assertThat(location().sequence()).isEqualTo(4);
    assertThat(location().residentCount()).isEqualTo(2);
    assertThat(location().digest()).isEqualTo(agent.digest());
  }

  @Test
  void missingOperations_areAGapAndTheRestIsApplied() {
    view.start(agent);
    view.append(agent.admit(1));
    view.lose(agent.admit(2));
    view.append(agent.admit(3));

    assertThat(view.held(agent)).containsExactlyInAnyOrder(1L, 3L);
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.SUSPECT);
    assertThat(location().gaps()).isEqualTo(1);
    assertThat(view.counters.counts().gaps()).isEqualTo(1);
  }

  @Test
  void firstOperationMissing_isAGap() {
    view.start(agent);
    view.lose(agent.admit(1));
    view.append(agent.admit(2));

    assertThat(location().gaps()).isEqualTo(1);
  }

  @Test
  void repeatedOperations_areCountedAndNotApplied() {
    view.start(agent);
    LogEvent admit = agent.admit(1, 2);
    view.append(admit);
    view.append(agent.evict(1));
    view.append(admit);

    assertThat(view.held(agent)).containsExactly(2L);
    assertThat(location().duplicates()).isEqualTo(2);
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.LIVE);
  }

  @Test
  void ranksOfOneInstance_haveNumbersOfTheirOwn() {
    Random random = new Random(8);
    List<Integer> turns = new ArrayList<>();
    long[] epochs = new long[4];
    for (int rank = 0; rank < 4; rank++) {
      turns.addAll(Collections.nCopies(100, rank));
      epochs[rank] = view.append(upOf(rank));
    }
    Collections.shuffle(turns, random);
    long[] sequences = new long[4];
    for (int rank : turns) {
      long sequence = ++sequences[rank];
      if (rank != 2 || sequence != 50) {
        view.append(operation(rank, epochs[rank], sequence));
      }
    }

    assertThat(view.counters.counts().gaps()).isEqualTo(1);
    WorkerStream second = view.streams.stream(new WorkerId("many", 2));
    assertThat(second).isNotNull();
    assertThat(second.view(false).gaps()).isEqualTo(1);
  }

  private static LogEvent upOf(int rank) {
    return new io.kvmesh.common.wire.event.WorkerUp("many", rank, 0, TestAgent.announcement());
  }

  private static LogEvent operation(int rank, long epoch, long sequence) {
    return new BatchedKVOperation(
        "many",
        rank,
        epoch,
        TestAgent.LOCATION,
        TestAgent.KEYSPACE.toString(),
        List.of(new KVOpEvent(OpType.ADMIT, ChunkHash.ofSigned(sequence), sequence)));
  }

  // ---- digests

  @Test
  void digestThatDiffers_isAMismatch_andASnapshotHeals() {
    view.start(agent);
    view.append(agent.admit(1, 2));
    agent.resident().add(9L);

    view.append(agent.heartbeat());
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.SUSPECT);
    assertThat(location().mismatches()).isEqualTo(1);

    view.appendAll(agent.snapshot());
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.LIVE);
    assertThat(view.held(agent)).isEqualTo(agent.resident());
  }

  @Test
  void digestOfAnOperationStillToCome_isComparedWhenItHasBeenApplied() {
    view.start(agent);
    KVOpEvent first = agent.admitOne(1);
    KVOpEvent second = agent.admitOne(2);
    LogEvent heartbeat = agent.heartbeat();
    KVOpEvent third = agent.evictOne(1);

    view.append(heartbeat);
    view.append(agent.batch(List.of(first, second, third)));

    assertThat(view.view(agent).state()).isEqualTo(WorkerState.LIVE);
    assertThat(location().mismatches()).isZero();
  }

  @Test
  void wrongDigestOfAnOperationStillToCome_isAMismatchWhenItHasBeenApplied() {
    view.start(agent);
    KVOpEvent first = agent.admitOne(1);
    view.append(heartbeat(1, 1, 12345));

    view.append(agent.batch(List.of(first, agent.admitOne(2))));

    assertThat(view.view(agent).state()).isEqualTo(WorkerState.SUSPECT);
    assertThat(location().mismatches()).isEqualTo(1);
  }

  @Test
  void lastOperationsLost_areNoticedByTheSecondHeartbeat() {
    view.start(agent);
    view.append(agent.admit(1));
    view.lose(agent.admit(2));

    view.append(agent.heartbeat());
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.LIVE);
    view.append(agent.heartbeat());
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.SUSPECT);
  }

  @Test
  void matchingDigestAfterAGap_heals() {
    view.start(agent);
    view.append(agent.admit(1));
    view.lose(agent.admit(2));
    view.append(agent.evict(2));
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.SUSPECT);

    view.append(agent.heartbeat());

    assertThat(view.view(agent).state()).isEqualTo(WorkerState.LIVE);
  }

  // ---- snapshots

  @Test
  void aSnapshotNamesK_thenKIsEvicted_kIsGone() {
    view.start(agent);
    view.append(agent.admit(1, 2));
    TestAgent.Snapshot snapshot = agent.newSnapshot();
    view.append(snapshot.start());
    view.append(snapshot.batch(1, 2));
    view.append(agent.evict(1));
    view.append(snapshot.end());

    assertThat(view.held(agent)).containsExactly(2L);
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.LIVE);
    assertThat(location().snapshots()).isEqualTo(1);
  }

  @Test
  void kIsAdmittedWhileASnapshotWalks_kStays() {
    view.start(agent);
    view.append(agent.admit(1));
    TestAgent.Snapshot snapshot = agent.newSnapshot();
    view.append(snapshot.start());
    view.append(snapshot.batch(1));
    view.append(agent.admit(2));
    view.append(snapshot.end());

    assertThat(view.held(agent)).containsExactlyInAnyOrder(1L, 2L);
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.LIVE);
  }

  @Test
  void snapshot_dropsWhatWasEvictedUnseen() {
    view.start(agent);
    view.append(agent.admit(1, 2, 3));
    view.lose(agent.evict(2));
    view.appendAll(agent.snapshot());

    assertThat(view.held(agent)).containsExactlyInAnyOrder(1L, 3L);
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.LIVE);
    assertThat(location().gaps()).isEqualTo(1);

    view.append(agent.admit(4));
    assertThat(location().gaps()).isEqualTo(1);
  }

  @Test
  void theOutboxOverflowsInsideASnapshot_noGhostNoHole_aNewOneFollows() {
    view.start(agent);
    view.append(agent.admit(1, 2, 3));
    TestAgent.Snapshot cutShort = agent.newSnapshot();
    view.append(cutShort.start());
    view.append(cutShort.batch(1));
    view.lose(agent.evict(1));
    view.lose(agent.admit(4));

    view.appendAll(agent.snapshot());

    assertThat(view.held(agent)).containsExactlyInAnyOrder(2L, 3L, 4L);
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.LIVE);
    assertThat(view.counters.counts().voidSnapshots()).isEqualTo(1);
    assertThat(location().snapshots()).isEqualTo(1);
  }

  @Test
  void gapInsideASnapshot_itsEndChangesNothing() {
    view.start(agent);
    view.append(agent.admit(1, 2, 3));
    TestAgent.Snapshot snapshot = agent.newSnapshot();
    view.append(snapshot.start());
    view.append(snapshot.batch(1));
    view.lose(agent.admit(4));
    view.append(agent.admit(5));
    view.append(snapshot.batch(2));
    view.append(snapshot.end());

    assertThat(view.held(agent)).containsExactlyInAnyOrder(1L, 2L, 3L, 5L);
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.SUSPECT);
    assertThat(location().snapshots()).isZero();
  }

  @Test
  void batchMissing_itsEndChangesNothing() {
    view.start(agent);
    view.append(agent.admit(1, 2, 3));
    TestAgent.Snapshot snapshot = agent.newSnapshot();
    view.append(snapshot.start());
    view.append(snapshot.batch(1));
    view.lose(snapshot.batch(2));
    view.append(snapshot.batch(3));
    view.append(snapshot.end());

    assertThat(view.held(agent)).containsExactlyInAnyOrder(1L, 2L, 3L);
    assertThat(location().snapshots()).isZero();
    assertThat(location().snapshotRunning()).isFalse();
  }

  @Test
  void lastBatchMissing_itsEndChangesNothing() {
    view.start(agent);
    view.append(agent.admit(1, 2));
    TestAgent.Snapshot snapshot = agent.newSnapshot();
    view.append(snapshot.start());
    view.append(snapshot.batch(1));
    view.lose(snapshot.batch(2));
    view.append(snapshot.end());

    assertThat(view.held(agent)).containsExactlyInAnyOrder(1L, 2L);
    assertThat(location().snapshots()).isZero();
  }

  @Test
  void endWithoutStart_changesNothing() {
    view.start(agent);
    view.append(agent.admit(1, 2));
    TestAgent.Snapshot snapshot = agent.newSnapshot();
    view.lose(snapshot.start());
    view.append(snapshot.batch(1));
    view.append(snapshot.end());

    assertThat(view.held(agent)).containsExactlyInAnyOrder(1L, 2L);
    assertThat(location().snapshots()).isZero();
  }

  @Test
  void wholeSnapshotWithAnotherDigest_staysSuspect() {
    view.start(agent);
    view.append(agent.admit(1));
    TestAgent.Snapshot snapshot = agent.newSnapshot();
    view.append(snapshot.start());
    view.append(snapshot.batch(1, 2));
    view.append(snapshot.end());

    assertThat(view.view(agent).state()).isEqualTo(WorkerState.SUSPECT);
    assertThat(location().mismatches()).isEqualTo(1);
  }

  // ---- lives

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

  // ---- foreign workers

  @Test
  void foreignOperations_areAppliedWhateverTheirNumbers() {
    view.append(foreign(100, 1));
    view.append(foreign(101, 2));
    assertThat(view.counters.counts().gaps()).isZero();

    view.append(foreign(110, 3));
    view.append(foreign(7, 4));
    view.append(foreign(8, 5));

    WorkerStream stream = view.streams.stream(new WorkerId("foreign", 1));
    assertThat(stream).isNotNull();
    assertThat(stream.view(false).residentCount()).isEqualTo(5);
    assertThat(stream.view(false).gaps()).isEqualTo(1);
    assertThat(stream.view(false).duplicates()).isEqualTo(1);
    assertThat(stream.isSuspect()).isTrue();
  }

  private static LogEvent foreign(long sequence, long hash) {
    return new BatchedKVOperation(
        "foreign",
        1,
        900,
        TestAgent.LOCATION,
        "foreign@1",
        List.of(new KVOpEvent(OpType.ADMIT, ChunkHash.ofSigned(hash), sequence)));
  }

  // ---- garbage

  @Test
  void recordsThatNoWorkerMayWrite_changeNothing() {
    view.start(agent);
    view.append(agent.admit(1));
    agent.acknowledged(Long.MAX_VALUE);
    assertThatThrownBy(() -> view.append(agent.heartbeat()))
        .isInstanceOf(IllegalArgumentException.class);
    LogEvent noKeyspace =
        new BatchedKVOperation("a", 0, 1_005, TestAgent.LOCATION, "no keyspace", List.of());
    assertThatThrownBy(() -> view.append(noKeyspace)).isInstanceOf(IllegalArgumentException.class);
    LogEvent noWorker =
        new BatchedKVOperation("", 0, 5, TestAgent.LOCATION, "foreign@0", List.of());
    assertThatThrownBy(() -> view.append(noWorker)).isInstanceOf(IllegalArgumentException.class);

    assertThat(view.held(agent)).containsExactly(1L);
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.LIVE);
    assertThat(view.view(agent).epoch()).isEqualTo(1_001);
  }

  // ---- silence

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
    view.append(foreign(0, 1));
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
    view.append(heartbeat(0, 0, 0));
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
        millis);
  }

  private Heartbeat heartbeat(long sequence, long count, long digest) {
    return new Heartbeat(
        agent.id().instanceId(),
        agent.id().rank(),
        agent.epoch(),
        TestAgent.announcement(),
        List.of(new LocationState(TestAgent.LOCATION, sequence, count, digest)));
  }

  private LocationView location() {
    LocationView location = view.view(agent).locations().get(TestAgent.LOCATION);
    assertThat(location).isNotNull();
    return location;
  }
}
