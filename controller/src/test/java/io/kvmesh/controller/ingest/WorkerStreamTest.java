package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.OpType;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.wire.event.Heartbeat;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.SnapshotStart;
import io.kvmesh.common.wire.event.WorkerKind;
import io.kvmesh.common.wire.event.WorkerUp;
import io.kvmesh.controller.registry.WorkerState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What operations, heartbeats and records that nobody may write change, one rule at a time. */
final class WorkerStreamTest {

  private final TestView view = new TestView();
  private final TestAgent agent = new TestAgent("a");

  @Test
  void operationsFromTheStart_areLiveAndEqual() {
    view.start(agent);
    view.append(agent.admit(1, 2, 3));
    view.append(agent.evict(2));
    view.append(agent.heartbeat());

    assertThat(view.held(agent)).containsExactlyInAnyOrder(1L, 3L);
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.LIVE);
    assertThat(view.location(agent).sequence()).isEqualTo(4);
    assertThat(view.location(agent).residentCount()).isEqualTo(2);
    assertThat(view.location(agent).digest()).isEqualTo(agent.digest());
  }

  @Test
  void missingOperations_areAGapAndTheRestIsApplied() {
    view.start(agent);
    view.append(agent.admit(1));
    view.lose(agent.admit(2));
    view.append(agent.admit(3));

    assertThat(view.held(agent)).containsExactlyInAnyOrder(1L, 3L);
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.SUSPECT);
    assertThat(view.location(agent).gaps()).isEqualTo(1);
    assertThat(view.counters.counts().gaps()).isEqualTo(1);
  }

  @Test
  void firstOperationMissing_isAGap() {
    view.start(agent);
    view.lose(agent.admit(1));
    view.append(agent.admit(2));

    assertThat(view.location(agent).gaps()).isEqualTo(1);
  }

  @Test
  void repeatedOperations_areCountedAndNotApplied() {
    view.start(agent);
    LogEvent admit = agent.admit(1, 2);
    view.append(admit);
    view.append(agent.evict(1));
    view.append(admit);

    assertThat(view.held(agent)).containsExactly(2L);
    assertThat(view.location(agent).duplicates()).isEqualTo(2);
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

  @Test
  void digestThatDiffers_isAMismatch_andASnapshotHeals() {
    view.start(agent);
    view.append(agent.admit(1, 2));
    agent.resident().add(9L);

    view.append(agent.heartbeat());
    assertThat(view.view(agent).state()).isEqualTo(WorkerState.SUSPECT);
    assertThat(view.location(agent).mismatches()).isEqualTo(1);

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
    assertThat(view.location(agent).mismatches()).isZero();
  }

  @Test
  void wrongDigestOfAnOperationStillToCome_isAMismatchWhenItHasBeenApplied() {
    view.start(agent);
    KVOpEvent first = agent.admitOne(1);
    view.append(agent.heartbeat(1, 1, 12345));

    view.append(agent.batch(List.of(first, agent.admitOne(2))));

    assertThat(view.view(agent).state()).isEqualTo(WorkerState.SUSPECT);
    assertThat(view.location(agent).mismatches()).isEqualTo(1);
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

  @Test
  void foreignOperations_areAppliedWhateverTheirNumbers() {
    view.append(TestAgent.foreignAdmit(100, 1));
    view.append(TestAgent.foreignAdmit(101, 2));
    assertThat(view.counters.counts().gaps()).isZero();

    view.append(TestAgent.foreignAdmit(110, 3));
    view.append(TestAgent.foreignAdmit(7, 4));
    view.append(TestAgent.foreignAdmit(8, 5));

    WorkerStream stream = view.streams.stream(new WorkerId("foreign", 1));
    assertThat(stream).isNotNull();
    assertThat(stream.view(false).residentCount()).isEqualTo(5);
    assertThat(stream.view(false).gaps()).isEqualTo(1);
    assertThat(stream.view(false).duplicates()).isEqualTo(1);
    assertThat(stream.isSuspect()).isTrue();
  }

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

  @Test
  void anAddressOrSyncIdThatCanBeNone_changesNothing() {
    view.start(agent);
    view.append(agent.admit(1));
    for (Announcement bad :
        List.of(at("0.0.0.0", 1, null), at("h", 0, null), at("h", 1, "x".repeat(513)))) {
      assertThatThrownBy(() -> view.append(new WorkerUp("a", 0, 0, bad)))
          .isInstanceOf(IllegalArgumentException.class);
      LogEvent heartbeat = new Heartbeat("a", 0, agent.epoch(), bad, List.of());
      assertThatThrownBy(() -> view.append(heartbeat)).isInstanceOf(IllegalArgumentException.class);
    }
    LogEvent sync =
        SnapshotStart.ofForeign(
            agent.id(), agent.epoch(), TestAgent.LOCATION, "x".repeat(513), 1, 1);
    assertThatThrownBy(() -> view.append(sync)).isInstanceOf(IllegalArgumentException.class);

    assertThat(view.held(agent)).containsExactly(1L);
    assertThat(view.view(agent).epoch()).isEqualTo(agent.epoch());
    assertThat(view.view(agent).announcement()).isEqualTo(TestAgent.announcement());
  }

  private static Announcement at(String ip, int port, @Nullable String url) {
    return new Announcement(
        WorkerKind.AGENT, ip, port, url, null, null, null, null, null, null, null, List.of());
  }
}
