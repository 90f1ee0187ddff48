package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.controller.index.LocationProgress;
import io.kvmesh.controller.index.WorkerProgress;
import io.kvmesh.controller.registry.SyncView;
import io.kvmesh.controller.registry.SyncView.Wanted;
import io.kvmesh.controller.registry.WorkerState;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Full syncs of a foreign worker as the log tells them, one rule at a time. */
final class ForeignSyncTest {

  private final TestView view = new TestView();
  private final ForeignLog worker = new ForeignLog("f", 1);

  @Test
  void endBeforeAllBatches_isNotComplete_dropsNothing_andTheRestCompletesIt() {
    held(1, 2, 3, 9);
    start("s", 3);
    view.append(worker.batch("s", 0, 1));
    view.append(worker.batch("s", 2, 3));
    view.append(worker.end("s"));

    assertThat(latest().state()).isEqualTo(SyncView.State.RUNNING);
    assertThat(latest().missing()).containsExactly(1);
    assertThat(worker.held(view)).containsExactlyInAnyOrder(1L, 2L, 3L, 9L);

    view.append(worker.batch("s", 1, 4));
    view.append(worker.end("s"));

    assertThat(latest().state()).isEqualTo(SyncView.State.COMPLETE);
    assertThat(latest().missing()).isEmpty();
    assertThat(worker.held(view)).containsExactlyInAnyOrder(1L, 3L, 4L);
    assertThat(sync().wanted()).isNull();
  }

  @Test
  void endOfTheSync_isStoredWithWhatItMeans() {
    held(9);
    worker.resume(view);
    start("s", 1);
    view.append(worker.batch("s", 0, 1));
    assertThat(worker.stored(view).reregistered()).isTrue();
    assertThat(worker.stored(view).suspect()).isTrue();

    WorkerProgress stored = view.storedWith(worker.end("s"));

    assertThat(stored.reregistered()).isFalse();
    assertThat(stored.suspect()).isFalse();
    assertThat(stored.locations().values()).noneMatch(LocationProgress::suspect);
    TestView loaded = new TestView();
    worker.load(view, loaded);
    assertThat(worker.view(loaded).sync().wanted()).isNull();
    assertThat(worker.view(loaded).state()).isEqualTo(WorkerState.LIVE);
  }

  @Test
  void allBatchesButNoEnd_isNotComplete() {
    held(9);
    start("s", 1);
    view.append(worker.batch("s", 0, 1));

    assertThat(latest().state()).isEqualTo(SyncView.State.RUNNING);
    assertThat(latest().whole()).isTrue();
    assertThat(worker.held(view)).containsExactlyInAnyOrder(1L, 9L);
  }

  @Test
  void batchesInAnyOrderAndAgain_countOnce() {
    start("s", 2);
    view.append(worker.end("s"));
    view.append(worker.batch("s", 1, 2));
    view.append(worker.batch("s", 1, 2));
    view.append(worker.batch("s", 7, 70));
    view.append(worker.batch("other", 0, 80));
    assertThat(latest().missing()).containsExactly(0);

    view.append(worker.batch("s", 0, 1));
    view.append(worker.batch("s", 0, 99));

    assertThat(latest().state()).isEqualTo(SyncView.State.COMPLETE);
    assertThat(worker.held(view)).containsExactlyInAnyOrder(1L, 2L);
  }

  @Test
  void emptyList_needsNoBatch() {
    held(1, 2);
    view.append(worker.start("s", 1, 0));
    assertThat(worker.held(view)).hasSize(2);

    view.append(worker.end("s"));

    assertThat(latest().state()).isEqualTo(SyncView.State.COMPLETE);
    assertThat(worker.held(view)).isEmpty();
  }

  @Test
  void operationsWhileItRuns_areKept() {
    held(1, 2);
    start("s", 2);
    view.append(worker.batch("s", 0, 1, 2));
    view.append(worker.admit(5));
    view.append(worker.evict(2));
    view.append(worker.batch("s", 1, 7));
    view.append(worker.end("s"));

    assertThat(worker.held(view)).containsExactlyInAnyOrder(1L, 5L, 7L);
    assertThat(worker.view(view).state()).isEqualTo(WorkerState.LIVE);
  }

  @Test
  void operationsMissingWhileItRuns_voidIt() {
    held(1, 2);
    start("s", 1);
    worker.admit(3);
    view.append(worker.admit(4));
    view.append(worker.batch("s", 0, 1));
    view.append(worker.end("s"));

    assertThat(sync().wanted()).isEqualTo(Wanted.FAILED);
    assertThat(worker.held(view)).containsExactlyInAnyOrder(1L, 2L, 4L);
  }

  @Test
  void sameIdAndAnotherId_beginAnew() {
    held(9);
    start("s", 2);
    view.append(worker.batch("s", 0, 1));
    start("s", 2);
    assertThat(latest().missing()).containsExactly(0, 1);

    start("t", 1);
    view.append(worker.batch("s", 1, 5));
    view.append(worker.batch("t", 0, 6));
    view.append(worker.end("t"));

    assertThat(latest().id()).isEqualTo("t");
    assertThat(worker.held(view)).containsExactly(6L);
  }

  @Test
  void silentSync_isGivenUpAtTheNextHeartbeat() {
    held(1);
    view.append(worker.heartbeat());
    start("s", 2);
    view.pass(Duration.ofSeconds(299));
    view.append(worker.heartbeat());
    assertThat(sync().isRunning()).isTrue();
    view.append(worker.batch("s", 0, 1));

    view.pass(Duration.ofSeconds(301));
    view.append(worker.heartbeat());

    assertThat(latest().state()).isEqualTo(SyncView.State.FAILED);
    assertThat(sync().wanted()).isEqualTo(Wanted.FAILED);
    assertThat(worker.held(view)).containsExactly(1L);
  }

  @Test
  void partsOfALargeBatch_areNamedButTheBatchIsMissingUntilItsLast() {
    start("s", 1);
    view.append(worker.batch("s", -1, 1, 2));
    view.append(worker.end("s"));
    assertThat(latest().missing()).containsExactly(0);

    view.append(worker.batch("s", 0, 3));

    assertThat(latest().state()).isEqualTo(SyncView.State.COMPLETE);
    assertThat(worker.held(view)).containsExactlyInAnyOrder(1L, 2L, 3L);
  }

  @Test
  void gap_isAReason_andASyncMendsIt() {
    held(1);
    worker.admit(2);
    view.append(worker.admit(3));
    assertThat(sync().wanted()).isEqualTo(Wanted.GAP);

    start("s", 1);
    assertThat(sync().wanted()).isNull();
    view.append(worker.batch("s", 0, 1, 2, 3));
    view.append(worker.end("s"));

    assertThat(sync().wanted()).isNull();
    assertThat(worker.view(view).state()).isEqualTo(WorkerState.LIVE);
  }

  @Test
  void reason_isShownWithTheTimeSinceWhenItHolds() {
    held(1);
    assertThat(sync().wantedMillis()).isEqualTo(-1);
    worker.admit(2);
    view.append(worker.admit(3));
    long since = worker.view(view).lastSeenMillis();
    assertThat(sync().wantedMillis()).isEqualTo(since);

    view.pass(Duration.ofSeconds(30));
    view.append(worker.heartbeat());
    assertThat(sync().wantedMillis()).isEqualTo(since);
    assertThat(worker.view(view).lastHeartbeatMillis() - since).isEqualTo(30_000);
  }

  @Test
  void workerThatBeatsSlowly_hasMoreTimeUntilItIsSilent() {
    worker.begin(view);
    for (int i = 0; i < 3; i++) {
      view.append(worker.heartbeat());
      view.ticks(6);
    }
    WorkerStream stream = view.streams.stream(worker.id());
    assertThat(stream).isNotNull();
    assertThat(view.streams.isSilent(stream)).isFalse();

    view.ticks(12);
    assertThat(view.streams.isSilent(stream)).isFalse();
    view.ticks(1);
    assertThat(view.streams.isSilent(stream)).isTrue();
    assertThat(view.streams.expired(TestView.PARTITION)).isEmpty();
    view.ticks(54);
    assertThat(view.streams.expired(TestView.PARTITION)).containsExactly(stream);
  }

  @Test
  void gapOfALocationThatNoSyncLists_isNoReason() {
    ForeignLog disk = worker.at("LocalDiskBackend");
    worker.begin(view);
    view.append(disk.admit(1));
    disk.admit(2);
    view.append(disk.admit(3));

    assertThat(worker.view(view).suspect()).isTrue();
    assertThat(sync().wanted()).isNull();
  }

  @Test
  void registeredWhileAlive_isAReasonUntilASyncIsWhole() {
    held(1);
    worker.begin(view);
    assertThat(worker.held(view)).isEmpty();
    assertThat(sync().wanted()).isEqualTo(Wanted.REREGISTERED);
    assertThat(worker.view(view).state()).isEqualTo(WorkerState.LIVE);

    start("s", 1);
    view.append(worker.batch("s", 0, 4));
    view.append(worker.end("s"));

    assertThat(sync().wanted()).isNull();
  }

  @Test
  void heardOfByAHeartbeat_isAReasonAndSuspect() {
    worker.resume(view);

    assertThat(sync().wanted()).isEqualTo(Wanted.REREGISTERED);
    assertThat(worker.view(view).state()).isEqualTo(WorkerState.SUSPECT);
  }

  @Test
  void logReadFromTheMiddle_isAReason() {
    worker.begin(new TestView());
    view.append(worker.heartbeat());

    assertThat(sync().wanted()).isEqualTo(Wanted.INCOMPLETE);
  }

  @Test
  void readerThatLoadsInTheMiddleOfASync_hasLostItAndAsksAgain() {
    held(1);
    start("s", 2);
    view.append(worker.batch("s", 0, 1));
    TestView loaded = new TestView();
    worker.load(view, loaded);

    assertThat(worker.view(loaded).sync().wanted()).isEqualTo(Wanted.FAILED);
    assertThat(worker.view(loaded).suspect()).isTrue();
    assertThat(worker.held(loaded)).containsExactly(1L);
  }

  private void held(long... hashes) {
    worker.begin(view);
    view.append(worker.admit(hashes));
  }

  private void start(String id, int batches) {
    view.append(worker.start(id, batches, 100));
  }

  private SyncView sync() {
    return worker.view(view).sync();
  }

  private SyncView.Sync latest() {
    SyncView.Sync latest = sync().latest();
    assertThat(latest).isNotNull();
    return latest;
  }
}
