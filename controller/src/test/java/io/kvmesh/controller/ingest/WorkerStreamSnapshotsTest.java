package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.controller.registry.WorkerState;
import org.junit.jupiter.api.Test;

/** When a snapshot counts, and what it drops; some names of cases are those of the design. */
final class WorkerStreamSnapshotsTest {

  private final TestView view = new TestView();
  private final TestAgent agent = new TestAgent("a");

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
    assertThat(view.location(agent).snapshots()).isEqualTo(1);
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
    assertThat(view.location(agent).gaps()).isEqualTo(1);

    view.append(agent.admit(4));
    assertThat(view.location(agent).gaps()).isEqualTo(1);
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
    assertThat(view.location(agent).snapshots()).isEqualTo(1);
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
    assertThat(view.location(agent).snapshots()).isZero();
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
    assertThat(view.location(agent).snapshots()).isZero();
    assertThat(view.location(agent).snapshotRunning()).isFalse();
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
    assertThat(view.location(agent).snapshots()).isZero();
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
    assertThat(view.location(agent).snapshots()).isZero();
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
    assertThat(view.location(agent).mismatches()).isEqualTo(1);
  }
}
