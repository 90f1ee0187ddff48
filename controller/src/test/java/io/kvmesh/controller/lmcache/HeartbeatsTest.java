package io.kvmesh.controller.lmcache;

import static io.kvmesh.controller.fixture.Workers.agent;
import static io.kvmesh.controller.fixture.Workers.foreign;
import static io.kvmesh.controller.fixture.Workers.live;
import static io.kvmesh.controller.fixture.Workers.syncing;
import static io.kvmesh.controller.fixture.Workers.view;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.directory.DirectoryReply;
import io.kvmesh.common.wire.directory.ErrorMsg;
import io.kvmesh.common.wire.directory.HeartbeatMsg;
import io.kvmesh.common.wire.directory.HeartbeatRetMsg;
import io.kvmesh.common.wire.event.Heartbeat;
import io.kvmesh.common.wire.event.WorkerUp;
import io.kvmesh.controller.registry.SyncView;
import io.kvmesh.controller.registry.WorkerState;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What heartbeats of agents and of LMCache workers are answered, and what goes to the log. */
class HeartbeatsTest {

  private final RequestFixture fixture = new RequestFixture();

  @Test
  void agentsHeartbeat_namesTheEpochAndWritesNothing() {
    fixture.registry.put(live(RequestFixture.A, 5, agent("url")));

    assertThat(fixture.heartbeat(5L)).isEqualTo(new HeartbeatRetMsg(List.of(), 5L));
    assertThat(fixture.log.events()).isEmpty();
  }

  @Test
  void agentsHeartbeat_asksForASnapshotWhereTheViewNeedsOne() {
    assertThat(fixture.heartbeat(5L)).isEqualTo(RequestFixture.commanded("worker_unknown", null));

    fixture.registry.put(live(RequestFixture.A, 3, agent("url")));
    assertThat(fixture.heartbeat(5L)).isEqualTo(RequestFixture.commanded("epoch_differs", 3L));

    fixture.registry.put(view(RequestFixture.A, WorkerState.SUSPECT, 5, agent("url")));
    assertThat(fixture.heartbeat(5L)).isEqualTo(RequestFixture.commanded("worker_suspect", 5L));

    fixture.registry.put(live(RequestFixture.A, 5, agent("url")));
    fixture.view.snapshotWanted = true;
    assertThat(fixture.heartbeat(5L)).isEqualTo(RequestFixture.commanded("worker_suspect", 5L));
  }

  @Test
  void agentsHeartbeat_ofAnOlderLife_learnsTheLaterEpoch() {
    fixture.registry.put(view(RequestFixture.A, WorkerState.SUSPECT, 9, agent("url")));

    assertThat(fixture.heartbeat(5L)).isEqualTo(new HeartbeatRetMsg(List.of(), 9L));
  }

  @Test
  void agentsHeartbeat_withoutAnEpoch_isThatOfARestart() {
    fixture.registry.put(live(RequestFixture.A, 5, agent("url")));

    for (String ip : List.of("127.0.0.1", "10.0.0.9")) {
      for (int i = 0; i < 3; i++) {
        assertThat(fixture.ask(new HeartbeatMsg("A", 0, ip, 1, "url")))
            .isEqualTo(new HeartbeatRetMsg(List.of(), null));
        fixture.view.catchUp();
      }
    }
    assertThat(fixture.counts.conflicts()).isZero();

    fixture.registry.put(view(RequestFixture.A, WorkerState.LIVE, 5, agent("url"), 6));
    assertThat(RequestFixture.code(fixture.ask(new HeartbeatMsg("A", 0, "10.0.0.9", 1, "url"))))
        .isEqualTo(ErrorMsg.BAD_REQUEST);
    assertThat(fixture.counts.conflicts()).isEqualTo(1);
  }

  @Test
  void agentsHeartbeat_ofAnOlderLifeBesideALaterOne_isCounted() {
    fixture.registry.put(live(RequestFixture.A, 9, agent("url")));
    fixture.heartbeat(5L);
    fixture.view.catchUp();
    fixture.heartbeat(5L);
    assertThat(fixture.counts.conflicts()).isZero();

    fixture.registry.put(view(RequestFixture.A, WorkerState.LIVE, 9, agent("url"), 10));
    fixture.heartbeat(5L);

    assertThat(fixture.counts.conflicts()).isEqualTo(1);
  }

  @Test
  void agentsHeartbeat_beforeTheViewIsWhole_asksForNothing() {
    fixture.view.ready = false;

    assertThat(fixture.heartbeat(5L)).isEqualTo(new HeartbeatRetMsg(List.of(), null));
  }

  @Test
  void foreignHeartbeat_goesToTheLog() {
    fixture.registry.put(live(RequestFixture.A, 5, foreign("url")));

    assertThat(fixture.ask(new HeartbeatMsg("A", 0, "127.0.0.1", 1, "url")))
        .isEqualTo(new HeartbeatRetMsg(List.of()));
    assertThat(fixture.log.events())
        .containsExactly(new Heartbeat("A", 0, 5, foreign("url"), List.of()));
  }

  @Test
  void foreignHeartbeat_fromAnotherAddress_keepsNobodyAlive() {
    fixture.registry.put(live(RequestFixture.A, 5, foreign("url")));

    for (int i = 0; i < 3; i++) {
      fixture.ask(new HeartbeatMsg("A", 0, "10.0.0.9", 1, "url"));
      fixture.view.catchUp();
    }

    assertThat(fixture.log.events()).isEmpty();
    assertThat(fixture.counts.conflicts()).isZero();
    fixture.registry.put(syncing(RequestFixture.A, WorkerState.LIVE, 6, SyncView.NONE));
    fixture.ask(new HeartbeatMsg("A", 0, "10.0.0.9", 1, "url"));
    fixture.view.catchUp();
    fixture.registry.put(syncing(RequestFixture.A, WorkerState.LIVE, 7, SyncView.NONE));
    fixture.ask(new HeartbeatMsg("A", 0, "10.0.0.9", 1, "url"));
    assertThat(fixture.counts.conflicts()).isEqualTo(1);
  }

  @Test
  void foreignHeartbeat_ofAnUnknownWorker_registersItOnce() {
    fixture.log.acknowledgeByHand();
    var heartbeat = new HeartbeatMsg("A", 0, "127.0.0.1", 1, "url");

    CompletableFuture<DirectoryReply> first = fixture.handler.handle(heartbeat);
    CompletableFuture<DirectoryReply> second = fixture.handler.handle(heartbeat);

    assertThat(fixture.log.events()).isEmpty();
    fixture.view.catchUp();
    assertThat(fixture.log.events())
        .containsExactly(WorkerUp.resumed(RequestFixture.A, foreign("url")));
    fixture.log.appended().getFirst().offset().complete(7L);
    assertThat(first).isCompletedWithValue(RequestFixture.commanded("worker_re_registered", null));
    assertThat(second).isCompletedWithValue(RequestFixture.commanded("worker_re_registered", null));
    fixture.ask(heartbeat);
    assertThat(fixture.log.events()).hasSize(1);
  }

  @Test
  void foreignHeartbeat_fromAnotherAddress_takesThePlaceOfASilentProcess() {
    fixture.registry.put(view(RequestFixture.A, WorkerState.SILENT, 5, foreign("url")));

    assertThat(fixture.ask(new HeartbeatMsg("A", 0, "10.0.0.9", 1, "url")))
        .isEqualTo(RequestFixture.commanded("worker_re_registered", null));

    assertThat(fixture.log.events()).singleElement().isInstanceOf(WorkerUp.class);
    fixture.ask(new HeartbeatMsg("A", 0, "10.0.0.9", 1, "url"));
    assertThat(fixture.log.events()).hasSize(1);
  }

  @Test
  void foreignHeartbeat_asksForASyncWhereTheViewNeedsOne() {
    var heartbeat = new HeartbeatMsg("A", 0, "127.0.0.1", 1, "url");
    Map<SyncView.Wanted, String> reasons =
        Map.of(
            SyncView.Wanted.GAP, "worker_suspect",
            SyncView.Wanted.REREGISTERED, "worker_re_registered",
            SyncView.Wanted.INCOMPLETE, "controller_restart",
            SyncView.Wanted.FAILED, "sync_failed_retry");
    reasons.forEach(
        (wanted, reason) -> {
          fixture.registry.put(syncing(RequestFixture.A, new SyncView(wanted, 0, null)));
          assertThat(fixture.ask(heartbeat)).isEqualTo(RequestFixture.commanded(reason, null));
        });
    fixture.registry.put(syncing(RequestFixture.A, SyncView.NONE));
    assertThat(fixture.ask(heartbeat)).isEqualTo(new HeartbeatRetMsg(List.of()));

    fixture.view.snapshotWanted = true;
    assertThat(fixture.ask(heartbeat)).isEqualTo(new HeartbeatRetMsg(List.of()));
    assertThat(fixture.ask(heartbeat))
        .isEqualTo(RequestFixture.commanded("controller_restart", null));
    fixture.view.ready = false;
    assertThat(fixture.ask(heartbeat)).isEqualTo(new HeartbeatRetMsg(List.of()));
  }

  @Test
  void foreignHeartbeat_whereTheDurableViewNeedsIt_asksAtTheSecondOfALife() {
    var heartbeat = new HeartbeatMsg("A", 0, "127.0.0.1", 1, "url");
    fixture.view.snapshotWanted = true;
    fixture.registry.put(live(RequestFixture.A, 5, foreign("url")));
    assertThat(fixture.ask(heartbeat)).isEqualTo(new HeartbeatRetMsg(List.of()));

    fixture.registry.remove(RequestFixture.A);
    fixture.registry.put(live(RequestFixture.A, 9, foreign("url")));

    assertThat(fixture.ask(heartbeat)).isEqualTo(new HeartbeatRetMsg(List.of()));
    assertThat(fixture.ask(heartbeat))
        .isEqualTo(RequestFixture.commanded("controller_restart", null));
  }

  @Test
  void foreignHeartbeat_ofAWorkerWhoseAddressWasNeverRead_tellsIt() {
    fixture.registry.put(view(RequestFixture.A, WorkerState.SUSPECT, 5, null));

    fixture.ask(new HeartbeatMsg("A", 0, "127.0.0.1", 1, "url"));

    assertThat(fixture.log.events())
        .containsExactly(new Heartbeat("A", 0, 5, foreign("url"), List.of()));
  }

  @Test
  void foreignHeartbeat_ofAnUnknownWorkerAtALiveOnesAddress_isRefused() {
    fixture.registry.put(syncing(new WorkerId("B", 0), SyncView.NONE));

    CompletableFuture<DirectoryReply> reply =
        fixture.handler.handle(new HeartbeatMsg("A", 0, "127.0.0.1", 1, "url"));
    fixture.view.catchUp();

    assertThat(RequestFixture.code(reply.join())).isEqualTo(ErrorMsg.BAD_REQUEST);
    assertThat(fixture.log.events()).isEmpty();
    assertThat(fixture.counts.clashes()).isEqualTo(1);
  }

  @Test
  void foreignHeartbeat_beforeTheViewIsWhole_registersNobody() {
    fixture.view.ready = false;

    assertThat(fixture.ask(new HeartbeatMsg("A", 0, "127.0.0.1", 1, "url")))
        .isEqualTo(new HeartbeatRetMsg(List.of()));
    assertThat(fixture.log.events()).isEmpty();
  }
}
