package io.kvmesh.controller.lmcache;

import static io.kvmesh.controller.fixture.Workers.CPU;
import static io.kvmesh.controller.fixture.Workers.agent;
import static io.kvmesh.controller.fixture.Workers.foreign;
import static io.kvmesh.controller.fixture.Workers.keyspace;
import static io.kvmesh.controller.fixture.Workers.live;
import static io.kvmesh.controller.fixture.Workers.syncing;
import static io.kvmesh.controller.fixture.Workers.view;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.directory.AppliedMsg;
import io.kvmesh.common.wire.directory.AppliedRetMsg;
import io.kvmesh.common.wire.directory.BatchedP2PLookupMsg;
import io.kvmesh.common.wire.directory.BatchedP2PLookupRetMsg;
import io.kvmesh.common.wire.directory.DirectoryReply;
import io.kvmesh.common.wire.directory.DirectoryRequest;
import io.kvmesh.common.wire.directory.ErrorMsg;
import io.kvmesh.common.wire.directory.FullSyncCommand;
import io.kvmesh.common.wire.directory.HeartbeatMsg;
import io.kvmesh.common.wire.directory.HeartbeatRetMsg;
import io.kvmesh.common.wire.directory.PeerLayout;
import io.kvmesh.common.wire.directory.RegisterMsg;
import io.kvmesh.common.wire.directory.RegisterRetMsg;
import io.kvmesh.common.wire.event.Heartbeat;
import io.kvmesh.common.wire.event.WorkerUp;
import io.kvmesh.controller.fixture.FakeLog;
import io.kvmesh.controller.fixture.NaiveIndex;
import io.kvmesh.controller.lookup.Barrier;
import io.kvmesh.controller.lookup.DrainLookup;
import io.kvmesh.controller.lookup.PrefixLookup;
import io.kvmesh.controller.lookup.ReadyLookup;
import io.kvmesh.controller.registry.SyncView;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RequestHandlerTest {

  private static final WorkerId A = new WorkerId("A", 0);

  private final FakeLog log = new FakeLog();
  private final WorkerRegistry registry = new WorkerRegistry();
  private final NaiveIndex index = new NaiveIndex();
  private final FakeView view = new FakeView();
  private final FrontCounts counts = new FrontCounts();
  private final ForeignWorkers workers = new ForeignWorkers(log, registry, counts);
  private final Conflicts conflicts = new Conflicts(registry, view, Duration.ofSeconds(5), counts);
  private boolean probed;
  private long nanos;
  private final Clashes clashes =
      new Clashes(
          workers,
          registry,
          view,
          (worker, announcement) -> CompletableFuture.completedFuture(probed),
          Duration.ofSeconds(10),
          counts,
          () -> nanos);
  private final FullSyncs fullSyncs =
      new FullSyncs(workers, registry, view, PushHandlerTest.SETTINGS);
  private Barrier.Answer barrierAnswer = new Barrier.Answer(Barrier.Outcome.APPLIED, 5, 9);
  private Duration waited = Duration.ZERO;
  private final RequestHandler handler =
      new RequestHandler(
          new ReadyLookup(view::ready, new PrefixLookup(index, registry)),
          new DrainLookup(view::ready, index, registry),
          this::await,
          new Registration(
              workers, registry, conflicts, clashes, ip -> Map.of("heartbeat_url", "c:8400")),
          new Heartbeats(
              workers, registry, view, conflicts, clashes, fullSyncs, Duration.ofSeconds(5)),
          fullSyncs,
          Duration.ofSeconds(5));

  private CompletableFuture<Barrier.Answer> await(
      WorkerId worker, long epoch, long sequence, Duration timeout) {
    waited = timeout;
    return CompletableFuture.completedFuture(barrierAnswer);
  }

  @Test
  void lookup_answersTheHolderAndItsEpoch() {
    index.admit(A, CPU, keyspace(), 1, -1, 3);
    registry.put(live(A, 1, agent("url-A")));

    assertThat(lookup(keyspace().toString(), ChunkHash.ofSigned(1), ChunkHash.ofUnsigned(-1)))
        .isEqualTo(
            new BatchedP2PLookupRetMsg(List.of(new PeerLayout("A", CPU, 2, "url-A")), List.of(1L)));
  }

  @Test
  void lookup_answersTheBestHolderFirstAndThenTheOthersWithTheirOwnPrefixes() {
    index.admit(A, CPU, keyspace(), 1, 2);
    registry.put(live(A, 1, agent("url-A")));
    index.admit(new WorkerId("D", 0), CPU, keyspace(), 1, 2, 3);
    registry.put(live(new WorkerId("D", 0), 5, agent("url-D")));
    index.admit(new WorkerId("C", 0), CPU, keyspace(), 2, 3);
    registry.put(live(new WorkerId("C", 0), 6, agent("url-C")));

    assertThat(
            lookup(
                keyspace().toString(),
                ChunkHash.ofSigned(1),
                ChunkHash.ofSigned(2),
                ChunkHash.ofSigned(3)))
        .isEqualTo(
            new BatchedP2PLookupRetMsg(
                List.of(new PeerLayout("D", CPU, 3, "url-D"), new PeerLayout("A", CPU, 2, "url-A")),
                List.of(5L, 1L)));
  }

  @Test
  void lookup_ofAPopularPrefix_answersEightHolders() {
    for (int i = 0; i < 20; i++) {
      WorkerId holder = new WorkerId("w" + i, 0);
      index.admit(holder, CPU, keyspace(), 1);
      registry.put(live(holder, i, agent("url-" + i)));
    }

    BatchedP2PLookupRetMsg found =
        (BatchedP2PLookupRetMsg) lookup(keyspace().toString(), ChunkHash.ofSigned(1));

    assertThat(found.layoutInfo()).hasSize(8);
    assertThat(found.epochs()).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
  }

  @Test
  void lookup_ofAForeignWorker_isAnsweredAsLmCacheWould() {
    for (String name : List.of("A", "D")) {
      WorkerId holder = new WorkerId(name, 0);
      index.admit(holder, CPU, Keyspace.foreign(0), 1);
      registry.put(live(holder, 1, foreign("url-" + name)));
    }

    assertThat(lookup(null, ChunkHash.ofSigned(1)))
        .isEqualTo(new BatchedP2PLookupRetMsg(List.of(new PeerLayout("A", CPU, 1, "url-A"))));
  }

  @Test
  void lookup_missAndNoHashes_areTheMissTuple() {
    var miss = new BatchedP2PLookupRetMsg(List.of(new PeerLayout("", "", 0, "")));

    assertThat(lookup(null, ChunkHash.ofSigned(1))).isEqualTo(miss);
    assertThat(lookup(keyspace().toString())).isEqualTo(miss);
  }

  @Test
  void lookup_notReady_isAnErrorAndNeverAMiss() {
    view.ready = false;

    assertThat(code(lookup(null, ChunkHash.ofSigned(1)))).isEqualTo(ErrorMsg.NOT_READY);
  }

  @Test
  void nonsenseIdentityOrKeyspace_isABadRequest() {
    assertThat(code(lookup("no keyspace", ChunkHash.ofSigned(1)))).isEqualTo(ErrorMsg.BAD_REQUEST);
    assertThat(code(ask(new RegisterMsg("a/b", 0, "h", 1, null)))).isEqualTo(ErrorMsg.BAD_REQUEST);
    assertThat(code(ask(new HeartbeatMsg("", 0, "h", 1, null)))).isEqualTo(ErrorMsg.BAD_REQUEST);
    assertThat(log.events()).isEmpty();
  }

  @Test
  void register_isAnsweredOnlyWhenTheLogHasIt() {
    log.acknowledgeByHand();

    CompletableFuture<DirectoryReply> reply =
        handler.handle(new RegisterMsg("A", 0, "127.0.0.1", 1, "url"));

    assertThat(reply).isNotDone();
    assertThat(log.events()).containsExactly(new WorkerUp("A", 0, 0, foreign("url")));
    log.appended().getFirst().offset().complete(7L);
    assertThat(reply).isCompletedWithValue(new RegisterRetMsg(Map.of("heartbeat_url", "c:8400")));
    assertThat(workers.epoch(A)).hasValue(7);
  }

  @Test
  void register_logAway_isAnError() {
    log.failWith(new IllegalStateException("away"));

    assertThat(code(ask(new RegisterMsg("A", 0, "h", 1, null)))).isEqualTo(ErrorMsg.NOT_READY);
    assertThat(counts.losses(FrontCounts.Loss.LOG)).isEqualTo(1);
  }

  @Test
  void register_underALiveAgentsIdentity_isRefused() {
    registry.put(live(A, 1, agent("url")));

    assertThat(code(ask(new RegisterMsg("A", 0, "h", 1, null)))).isEqualTo(ErrorMsg.BAD_REQUEST);
    assertThat(log.events()).isEmpty();
    assertThat(counts.conflicts()).isEqualTo(1);
  }

  @Test
  void register_atAnotherAddress_isTakenOnceTheFormerProcessIsGone() {
    registry.put(live(A, 1, foreign("url")));

    CompletableFuture<DirectoryReply> reply =
        handler.handle(new RegisterMsg("A", 0, "10.0.0.9", 1, "url"));
    view.catchUp();
    nanos += Duration.ofSeconds(10).toNanos();
    clashes.tick();

    assertThat(reply.join()).isInstanceOf(RegisterRetMsg.class);
    assertThat(counts.conflicts()).isZero();
  }

  @Test
  void register_underTheIdentityOrAtTheAddressOfALiveOne_isRefusedWithTheReason() {
    registry.put(syncing(new WorkerId("B", 0), WorkerState.LIVE, -1, SyncView.NONE));
    probed = true;

    var identity = handler.handle(new RegisterMsg("B", 0, "10.0.0.9", 1, null));
    var address = handler.handle(new RegisterMsg("A", 0, "127.0.0.1", 1, null));
    var peerAddress = handler.handle(new RegisterMsg("A", 0, "10.0.0.9", 1, "url"));
    view.catchUp();
    clashes.tick();

    assertThat(identity.join())
        .isEqualTo(new ErrorMsg("worker B/0 is alive at 127.0.0.1:1", ErrorMsg.BAD_REQUEST));
    assertThat(address.join())
        .isEqualTo(
            new ErrorMsg(
                "address 127.0.0.1:1 or peer_init_url null is that of worker B/0, which is alive",
                ErrorMsg.BAD_REQUEST));
    assertThat(code(peerAddress.join())).isEqualTo(ErrorMsg.BAD_REQUEST);
    assertThat(log.events()).isEmpty();
    assertThat(counts.clashes()).isEqualTo(3);
  }

  @Test
  void agentsHeartbeat_namesTheEpochAndWritesNothing() {
    registry.put(live(A, 5, agent("url")));

    assertThat(heartbeat(5L)).isEqualTo(new HeartbeatRetMsg(List.of(), 5L));
    assertThat(log.events()).isEmpty();
  }

  @Test
  void agentsHeartbeat_asksForASnapshotWhereTheViewNeedsOne() {
    assertThat(heartbeat(5L)).isEqualTo(commanded("worker_unknown", null));

    registry.put(live(A, 3, agent("url")));
    assertThat(heartbeat(5L)).isEqualTo(commanded("epoch_differs", 3L));

    registry.put(view(A, WorkerState.SUSPECT, 5, agent("url")));
    assertThat(heartbeat(5L)).isEqualTo(commanded("worker_suspect", 5L));

    registry.put(live(A, 5, agent("url")));
    view.snapshotWanted = true;
    assertThat(heartbeat(5L)).isEqualTo(commanded("worker_suspect", 5L));
  }

  @Test
  void agentsHeartbeat_ofAnOlderLife_learnsTheLaterEpoch() {
    registry.put(view(A, WorkerState.SUSPECT, 9, agent("url")));

    assertThat(heartbeat(5L)).isEqualTo(new HeartbeatRetMsg(List.of(), 9L));
  }

  @Test
  void agentsHeartbeat_withoutAnEpoch_isThatOfARestart() {
    registry.put(live(A, 5, agent("url")));

    for (String ip : List.of("127.0.0.1", "10.0.0.9")) {
      for (int i = 0; i < 3; i++) {
        assertThat(ask(new HeartbeatMsg("A", 0, ip, 1, "url")))
            .isEqualTo(new HeartbeatRetMsg(List.of(), null));
        view.catchUp();
      }
    }
    assertThat(counts.conflicts()).isZero();

    registry.put(view(A, WorkerState.LIVE, 5, agent("url"), 6));
    assertThat(code(ask(new HeartbeatMsg("A", 0, "10.0.0.9", 1, "url"))))
        .isEqualTo(ErrorMsg.BAD_REQUEST);
    assertThat(counts.conflicts()).isEqualTo(1);
  }

  @Test
  void agentsHeartbeat_ofAnOlderLifeBesideALaterOne_isCounted() {
    registry.put(live(A, 9, agent("url")));
    heartbeat(5L);
    view.catchUp();
    heartbeat(5L);
    assertThat(counts.conflicts()).isZero();

    registry.put(view(A, WorkerState.LIVE, 9, agent("url"), 10));
    heartbeat(5L);

    assertThat(counts.conflicts()).isEqualTo(1);
  }

  @Test
  void agentsHeartbeat_beforeTheViewIsWhole_asksForNothing() {
    view.ready = false;

    assertThat(heartbeat(5L)).isEqualTo(new HeartbeatRetMsg(List.of(), null));
  }

  @Test
  void foreignHeartbeat_goesToTheLog() {
    registry.put(live(A, 5, foreign("url")));

    assertThat(ask(new HeartbeatMsg("A", 0, "127.0.0.1", 1, "url")))
        .isEqualTo(new HeartbeatRetMsg(List.of()));
    assertThat(log.events()).containsExactly(new Heartbeat("A", 0, 5, foreign("url"), List.of()));
  }

  @Test
  void foreignHeartbeat_fromAnotherAddress_keepsNobodyAlive() {
    registry.put(live(A, 5, foreign("url")));

    for (int i = 0; i < 3; i++) {
      ask(new HeartbeatMsg("A", 0, "10.0.0.9", 1, "url"));
      view.catchUp();
    }

    assertThat(log.events()).isEmpty();
    assertThat(counts.conflicts()).isZero();
    registry.put(syncing(A, WorkerState.LIVE, 6, SyncView.NONE));
    ask(new HeartbeatMsg("A", 0, "10.0.0.9", 1, "url"));
    view.catchUp();
    registry.put(syncing(A, WorkerState.LIVE, 7, SyncView.NONE));
    ask(new HeartbeatMsg("A", 0, "10.0.0.9", 1, "url"));
    assertThat(counts.conflicts()).isEqualTo(1);
  }

  @Test
  void foreignHeartbeat_ofAnUnknownWorker_registersItOnce() {
    log.acknowledgeByHand();
    var heartbeat = new HeartbeatMsg("A", 0, "127.0.0.1", 1, "url");

    CompletableFuture<DirectoryReply> first = handler.handle(heartbeat);
    CompletableFuture<DirectoryReply> second = handler.handle(heartbeat);

    assertThat(log.events()).isEmpty();
    view.catchUp();
    assertThat(log.events()).containsExactly(WorkerUp.resumed(A, foreign("url")));
    log.appended().getFirst().offset().complete(7L);
    assertThat(first).isCompletedWithValue(commanded("worker_re_registered", null));
    assertThat(second).isCompletedWithValue(commanded("worker_re_registered", null));
    ask(heartbeat);
    assertThat(log.events()).hasSize(1);
  }

  @Test
  void foreignHeartbeat_fromAnotherAddress_takesThePlaceOfASilentProcess() {
    registry.put(view(A, WorkerState.SILENT, 5, foreign("url")));

    assertThat(ask(new HeartbeatMsg("A", 0, "10.0.0.9", 1, "url")))
        .isEqualTo(commanded("worker_re_registered", null));

    assertThat(log.events()).singleElement().isInstanceOf(WorkerUp.class);
    ask(new HeartbeatMsg("A", 0, "10.0.0.9", 1, "url"));
    assertThat(log.events()).hasSize(1);
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
          registry.put(syncing(A, new SyncView(wanted, 0, null)));
          assertThat(ask(heartbeat)).isEqualTo(commanded(reason, null));
        });
    registry.put(syncing(A, SyncView.NONE));
    assertThat(ask(heartbeat)).isEqualTo(new HeartbeatRetMsg(List.of()));

    view.snapshotWanted = true;
    assertThat(ask(heartbeat)).isEqualTo(new HeartbeatRetMsg(List.of()));
    assertThat(ask(heartbeat)).isEqualTo(commanded("controller_restart", null));
    view.ready = false;
    assertThat(ask(heartbeat)).isEqualTo(new HeartbeatRetMsg(List.of()));
  }

  @Test
  void foreignHeartbeat_ofAWorkerWhoseAddressWasNeverRead_tellsIt() {
    registry.put(view(A, WorkerState.SUSPECT, 5, null));

    ask(new HeartbeatMsg("A", 0, "127.0.0.1", 1, "url"));

    assertThat(log.events()).containsExactly(new Heartbeat("A", 0, 5, foreign("url"), List.of()));
  }

  @Test
  void foreignHeartbeat_ofAnUnknownWorkerAtALiveOnesAddress_isRefused() {
    registry.put(syncing(new WorkerId("B", 0), SyncView.NONE));

    CompletableFuture<DirectoryReply> reply =
        handler.handle(new HeartbeatMsg("A", 0, "127.0.0.1", 1, "url"));
    view.catchUp();

    assertThat(code(reply.join())).isEqualTo(ErrorMsg.BAD_REQUEST);
    assertThat(log.events()).isEmpty();
    assertThat(counts.clashes()).isEqualTo(1);
  }

  @Test
  void foreignHeartbeat_beforeTheViewIsWhole_registersNobody() {
    view.ready = false;

    assertThat(ask(new HeartbeatMsg("A", 0, "127.0.0.1", 1, "url")))
        .isEqualTo(new HeartbeatRetMsg(List.of()));
    assertThat(log.events()).isEmpty();
  }

  @Test
  void barrier_answersWithinTheBound() {
    assertThat(ask(new AppliedMsg("A", 0, 5, 9, 1_000_000)))
        .isEqualTo(new AppliedRetMsg(true, 5, 9));
    assertThat(waited).isEqualTo(Duration.ofSeconds(5));

    ask(new AppliedMsg("A", 0, 5, 9, -7));
    assertThat(waited).isZero();

    barrierAnswer = new Barrier.Answer(Barrier.Outcome.REFUSED, -1, -1);
    assertThat(code(ask(new AppliedMsg("A", 0, 5, 9, 1)))).isEqualTo(ErrorMsg.NOT_READY);
  }

  private static HeartbeatRetMsg commanded(String reason, @Nullable Long epoch) {
    return new HeartbeatRetMsg(List.of(new FullSyncCommand(reason, null)), epoch);
  }

  private DirectoryReply heartbeat(Long epoch) {
    return ask(new HeartbeatMsg("A", 0, "127.0.0.1", 1, "url", epoch));
  }

  private DirectoryReply lookup(@Nullable String keyspace, ChunkHash... hashes) {
    return ask(new BatchedP2PLookupMsg(List.of(hashes), "B", 0, keyspace));
  }

  private DirectoryReply ask(DirectoryRequest request) {
    return handler.handle(request).join();
  }

  private static @Nullable String code(DirectoryReply reply) {
    return ((ErrorMsg) reply).code();
  }
}
