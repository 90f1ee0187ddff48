package io.kvmesh.controller.lmcache;

import static io.kvmesh.controller.fixture.Workers.CPU;
import static io.kvmesh.controller.fixture.Workers.agent;
import static io.kvmesh.controller.fixture.Workers.live;
import static io.kvmesh.controller.fixture.Workers.syncing;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.directory.FullSyncStartMsg;
import io.kvmesh.common.wire.directory.FullSyncStartRetMsg;
import io.kvmesh.common.wire.directory.FullSyncStatusMsg;
import io.kvmesh.common.wire.directory.FullSyncStatusRetMsg;
import io.kvmesh.common.wire.event.Heartbeat;
import io.kvmesh.common.wire.event.SnapshotStart;
import io.kvmesh.controller.fixture.FakeLog;
import io.kvmesh.controller.registry.SyncView;
import io.kvmesh.controller.registry.SyncView.State;
import io.kvmesh.controller.registry.SyncView.Wanted;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerState;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FullSyncsTest {

  private static final WorkerId A = new WorkerId("A", 0);
  private static final String LMCACHE_TEXT =
      "Failed to start sync: worker already syncing with different sync_id or worker not found";

  private final FakeLog log = new FakeLog();
  private final WorkerRegistry registry = new WorkerRegistry();
  private final FakeView view = new FakeView();
  private final FrontCounts counts = new FrontCounts();
  private final FullSyncs syncs =
      new FullSyncs(
          new ForeignWorkers(log, registry, counts), registry, view, PushHandlerTest.SETTINGS);

  @Test
  void start_isAnsweredOnceTheLogHasIt() {
    registry.put(syncing(A, SyncView.NONE));
    log.acknowledgeByHand();

    CompletableFuture<?> reply = syncs.start(start("s", 9, 2));

    assertThat(reply).isNotDone();
    assertThat(log.events()).containsExactly(SnapshotStart.ofForeign(A, 1, CPU, "s", 2, 9));
    log.appended().getFirst().offset().complete(7L);
    view.catchUp();
    assertThat(reply.join()).isEqualTo(new FullSyncStartRetMsg("s", true, null));
  }

  @Test
  void start_ofAnUnknownWorker_isRefusedWhenTheViewHasCaughtUp() {
    CompletableFuture<?> reply = syncs.start(start("s", 9, 2));
    assertThat(reply).isNotDone();

    view.catchUp();

    assertThat(reply.join()).isEqualTo(new FullSyncStartRetMsg("s", false, LMCACHE_TEXT));
    assertThat(log.events()).isEmpty();
  }

  @Test
  void start_whileAnotherIsUnderWay_isRefused_theSameBeginsAnew() {
    registry.put(syncing(A, running("s", 2)));

    assertThat(started(start("t", 9, 2)).errorMsg()).isEqualTo(LMCACHE_TEXT);
    assertThat(started(start("s", 9, 2)).accepted()).isTrue();
    assertThat(log.events()).hasSize(1);
  }

  @Test
  void start_afterOneThatIsOver_isTaken() {
    registry.put(syncing(A, over(State.FAILED, Wanted.FAILED)));

    assertThat(started(start("t", 9, 2)).accepted()).isTrue();
  }

  @Test
  void start_ofAnAgent_isRefused() {
    registry.put(live(A, 1, agent("url")));

    assertThat(started(start("s", 9, 2)).accepted()).isFalse();
  }

  @Test
  void start_outOfBounds_isRefusedWithTheBound() {
    registry.put(syncing(A, SyncView.NONE));

    assertThat(started(start("s", 9, 0)).errorMsg()).isEqualTo("batch_count must be 1 to 65536");
    assertThat(started(start("s", 9, 65_537)).accepted()).isFalse();
    assertThat(started(start("s", -1, 1)).accepted()).isFalse();
    assertThat(started(start("s", 1L << 40, 1)).accepted()).isFalse();
    for (int i = 0; i < 3; i++) {
      registry.put(syncing(new WorkerId("B" + i, 0), running("b", 2)));
    }
    assertThat(started(start("s", 9, 2)).errorMsg())
        .isEqualTo("3 full syncs are under way already");
    assertThat(log.events()).isEmpty();
  }

  @Test
  void start_logAway_isRefused() {
    registry.put(syncing(A, SyncView.NONE));
    log.failWith(new IllegalStateException("away"));

    assertThat(started(start("s", 9, 2)).accepted()).isFalse();
    assertThat(counts.losses(FrontCounts.Loss.LOG)).isEqualTo(1);
  }

  @Test
  void status_ofOneUnderWay_namesWhatIsMissing_whenTheViewHasCaughtUp() {
    registry.put(syncing(A, running("s", 3, 1)));

    CompletableFuture<?> reply = syncs.status(new FullSyncStatusMsg("A", 0, "s"));
    assertThat(reply).isNotDone();
    registry.put(syncing(A, running("s", 3, 1, 2)));
    view.catchUp();

    assertThat(reply.join()).isEqualTo(new FullSyncStatusRetMsg("s", false, 0, false, List.of(0)));
  }

  @Test
  void status_ofOneWithAllBatchesButNoEnd_namesTheLastAgain() {
    registry.put(syncing(A, running("s", 2, 0, 1)));

    assertThat(status("s")).isEqualTo(new FullSyncStatusRetMsg("s", false, 0, false, List.of(1)));
  }

  @Test
  void status_ofAWholeOne_leavesTheFreezeWhenEnoughAreDone() {
    registry.put(syncing(A, over(State.COMPLETE, null)));
    registry.put(syncing(new WorkerId("B", 0), running("b", 2)));
    assertThat(status("s")).isEqualTo(new FullSyncStatusRetMsg("s", true, 0.5, false, List.of()));

    for (int i = 0; i < 3; i++) {
      registry.put(syncing(new WorkerId("C" + i, 0), SyncView.NONE));
    }
    assertThat(status("s")).isEqualTo(new FullSyncStatusRetMsg("s", true, 0.8, true, List.of()));
  }

  @Test
  void status_workersThatCantBeAsked_holdUpNobody() {
    registry.put(syncing(A, over(State.COMPLETE, null)));
    SyncView wanting = new SyncView(Wanted.GAP, 0, null);
    registry.put(syncing(new WorkerId("B", 0), WorkerState.SILENT, 5, wanting));
    registry.put(syncing(new WorkerId("C", 0), WorkerState.SUSPECT, -1, wanting));
    registry.put(live(new WorkerId("D", 0), 1, agent("url")));
    registry.put(syncing(new WorkerId("E", 0), WorkerState.LIVE, 60_001, wanting));

    assertThat(status("s")).isEqualTo(new FullSyncStatusRetMsg("s", true, 1, true, List.of()));
  }

  @Test
  void status_ofWhatNobodyFollows_leavesTheFreeze() {
    assertThat(status("s").canExitFreeze()).isTrue();

    registry.put(syncing(A, over(State.FAILED, Wanted.FAILED)));
    assertThat(status("s").canExitFreeze()).isTrue();

    registry.put(syncing(A, running("t", 3)));
    assertThat(status("s").canExitFreeze()).isTrue();
  }

  @Test
  void status_beforeTheViewIsWhole_leavesItOpen() {
    view.ready = false;

    assertThat(status("s")).isEqualTo(new FullSyncStatusRetMsg("s", false, 0, false, List.of()));
  }

  @Test
  void status_isASignOfLife_ofAWorkerThatSendsHeartbeats() {
    registry.put(syncing(A, over(State.COMPLETE, null)));
    status("s");
    assertThat(log.events()).singleElement().isInstanceOf(Heartbeat.class);

    registry.put(syncing(A, WorkerState.LIVE, -1, over(State.COMPLETE, null)));
    status("s");
    assertThat(log.events()).hasSize(1);
  }

  private static FullSyncStartMsg start(String id, long keys, int batches) {
    return new FullSyncStartMsg("A", 0, CPU, id, keys, batches);
  }

  private FullSyncStartRetMsg started(FullSyncStartMsg start) {
    CompletableFuture<?> reply = syncs.start(start);
    view.catchUp();
    return (FullSyncStartRetMsg) reply.join();
  }

  private FullSyncStatusRetMsg status(String id) {
    CompletableFuture<?> reply = syncs.status(new FullSyncStatusMsg("A", 0, id));
    view.catchUp();
    return (FullSyncStatusRetMsg) reply.join();
  }

  private static SyncView running(String id, int batches, int... received) {
    BitSet numbers = new BitSet();
    for (int number : received) {
      numbers.set(number);
    }
    return new SyncView(
        null,
        -1,
        new SyncView.Sync(id, CPU, State.RUNNING, batches, numbers, received.length == batches));
  }

  private static SyncView over(State how, @Nullable Wanted wanted) {
    return new SyncView(
        wanted, wanted == null ? -1 : 0, new SyncView.Sync("s", CPU, how, 2, new BitSet(), true));
  }
}
