package io.kvmesh.controller.lmcache;

import static io.kvmesh.controller.fixture.Workers.foreign;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.DownReason;
import io.kvmesh.common.wire.event.WorkerDown;
import io.kvmesh.common.wire.event.WorkerKind;
import io.kvmesh.controller.fixture.FakeLog;
import io.kvmesh.controller.registry.LastBeat;
import io.kvmesh.controller.registry.SyncView;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerState;
import io.kvmesh.controller.registry.WorkerView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClashesTest {

  private static final WorkerId OLD = new WorkerId("crashed", 0);
  private static final WorkerId NEW = new WorkerId("random-name", 0);

  private final FakeLog log = new FakeLog();
  private final WorkerRegistry registry = new WorkerRegistry();
  private final FakeView view = new FakeView();
  private final FrontCounts counts = new FrontCounts();
  private final List<CompletableFuture<Boolean>> probes = new ArrayList<>();
  private long nanos;
  private final Clashes clashes =
      new Clashes(
          new ForeignWorkers(log, registry, counts),
          registry,
          view,
          (worker, announcement) -> probe(),
          Duration.ofSeconds(10),
          counts,
          () -> nanos);

  private CompletableFuture<Boolean> probe() {
    CompletableFuture<Boolean> probe = new CompletableFuture<>();
    probes.add(probe);
    return probe;
  }

  @Test
  void freeAddress_isFree() {
    old(WorkerState.LIVE, 5, 1);

    assertFree(registration(NEW, at("10.0.0.1", 1, "other")));
    assertFree(registration(NEW, at("127.0.0.1", 2, null)));
    assertThat(log.events()).isEmpty();
    assertThat(probes).isEmpty();
  }

  @Test
  void ofASilentWorker_isGivenUpAtOnce() {
    old(WorkerState.SILENT, 5, 1);

    assertFree(registration(NEW, at("10.0.0.1", 7, "url")));
    assertThat(log.events()).containsExactly(down());
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 5})
  void ofAWorkerThatAnswers_isRefused(long lastHeartbeatMillis) {
    old(WorkerState.LIVE, lastHeartbeatMillis, 1);
    var claim = registration(NEW, foreign("url"));
    view.catchUp();
    clashes.tick();
    assertThat(claim).isNotDone();

    probes.getFirst().complete(true);
    clashes.tick();

    assertRefused(claim);
    assertThat(log.events()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 5})
  void ofAWorkerWithoutAnySignOfLife_isGivenUpAfterTheWait(long lastHeartbeatMillis) {
    old(WorkerState.LIVE, lastHeartbeatMillis, 1);
    var claim = registration(NEW, foreign("url"));
    view.catchUp();
    probes.getFirst().complete(false);
    seconds(9);
    assertThat(claim).isNotDone();

    seconds(1);

    assertFree(claim);
    assertThat(log.events()).containsExactly(down());
  }

  @Test
  void ofAWorkerThatSendsAHeartbeatAfterTheClaim_isRefused() {
    old(WorkerState.LIVE, 5, 1);
    var claim = registration(NEW, foreign("url"));
    old(WorkerState.LIVE, 6, 2);
    view.catchUp();
    clashes.tick();
    assertThat(claim).as("a heartbeat before the claim").isNotDone();

    old(WorkerState.LIVE, 7, 3);
    clashes.tick();

    assertRefused(claim);
  }

  @Test
  void ofAWorkerThatPushesWhenHalfOfTheWaitIsOver_isRefused() {
    old(WorkerState.LIVE, -1, 1);
    var claim = registration(NEW, foreign("url"));
    view.catchUp();
    seconds(4);
    old(WorkerState.LIVE, -1, 2);
    seconds(2);
    assertThat(claim).as("what a crashed worker sent may come late").isNotDone();

    old(WorkerState.LIVE, -1, 3);
    clashes.tick();

    assertRefused(claim);
  }

  @Test
  void ofAWorkerThatGoesSilentOrSaysGoodbye_isGivenUp() {
    old(WorkerState.LIVE, 5, 1);
    var silent = registration(NEW, foreign("url"));
    view.catchUp();
    old(WorkerState.SILENT, 5, 1);
    clashes.tick();
    assertFree(silent);
    assertThat(log.events()).containsExactly(down());

    old(WorkerState.LIVE, -1, 1);
    var gone = registration(NEW, foreign("url"));
    view.catchUp();
    registry.remove(OLD);
    clashes.tick();
    assertFree(gone);
  }

  @Test
  void oneOfManyThatLives_isEnough() {
    old(WorkerState.LIVE, -1, 1);
    registry.put(worker(new WorkerId("dead", 0), WorkerState.LIVE, -1, 1));
    var claim = registration(NEW, foreign("url"));
    view.catchUp();
    probes.get(1).complete(false);
    probes.get(0).complete(true);
    clashes.tick();

    assertThat(claim).isCompletedWithValueMatching(Optional::isPresent);
  }

  @Test
  void identityAtAnotherAddress_isTheLiveOnes() {
    old(WorkerState.LIVE, -1, 1);
    assertFree(registration(OLD, foreign("url")));
    assertThat(log.events()).as("a restart in place").isEmpty();

    var moved = registration(OLD, at("10.0.0.1", 1, "url"));
    view.catchUp();
    seconds(5);
    assertThat(moved).isNotDone();
    seconds(5);
    assertFree(moved);
    assertThat(log.events()).as("its registration ends its former life").isEmpty();

    var second = registration(OLD, at("10.0.0.1", 1, "url"));
    view.catchUp();
    probes.getLast().complete(true);
    clashes.tick();
    assertRefused(second);
  }

  @Test
  void heartbeatOfAnUnknownWorker_isRefusedAtOnceWhereTheOtherSendsHeartbeats() {
    old(WorkerState.LIVE, 5, 1);
    assertRefused(clashes.ofHeartbeat(new Claim(NEW, foreign("url"))));

    old(WorkerState.SILENT, 5, 1);
    assertFree(clashes.ofHeartbeat(new Claim(NEW, foreign("url"))));
  }

  @Test
  void heartbeatOfAnUnknownWorker_mayHaveAnsweredItself_soOnlyMessagesOfTheOtherCount() {
    old(WorkerState.LIVE, -1, 1);
    var pushed = clashes.ofHeartbeat(new Claim(NEW, foreign("url")));
    view.catchUp();
    seconds(6);
    old(WorkerState.LIVE, -1, 2);
    clashes.tick();
    assertRefused(pushed);

    var nothing = clashes.ofHeartbeat(new Claim(NEW, foreign("url")));
    view.catchUp();
    seconds(5);
    seconds(5);
    assertFree(nothing);
    assertThat(probes).isEmpty();
  }

  private void seconds(int seconds) {
    nanos += Duration.ofSeconds(seconds).toNanos();
    clashes.tick();
  }

  private void old(WorkerState state, long lastHeartbeatMillis, long appliedOffset) {
    registry.put(worker(OLD, state, lastHeartbeatMillis, appliedOffset));
  }

  private static WorkerView worker(
      WorkerId id, WorkerState state, long lastHeartbeatMillis, long appliedOffset) {
    return new WorkerView(
        id,
        state,
        false,
        1,
        foreign("url"),
        Map.of(),
        1,
        lastHeartbeatMillis,
        1,
        0,
        appliedOffset,
        0,
        SyncView.NONE,
        LastBeat.UNTOLD);
  }

  private CompletableFuture<Optional<WorkerView>> registration(
      WorkerId worker, Announcement announcement) {
    return clashes.ofRegistration(new Claim(worker, announcement));
  }

  private void assertRefused(CompletableFuture<Optional<WorkerView>> claim) {
    assertThat(claim)
        .isCompletedWithValueMatching(
            holder -> holder.map(WorkerView::id).equals(Optional.of(OLD)));
    assertThat(counts.clashes()).isEqualTo(1);
  }

  private static void assertFree(CompletableFuture<Optional<WorkerView>> claim) {
    assertThat(claim).isCompletedWithValue(Optional.empty());
  }

  private static WorkerDown down() {
    return new WorkerDown("crashed", 0, 1, DownReason.EXPIRED, -1);
  }

  private static Announcement at(String ip, int port, @Nullable String url) {
    return new Announcement(
        WorkerKind.FOREIGN, ip, port, url, null, null, null, null, null, null, null, List.of());
  }
}
