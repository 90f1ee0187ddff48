package io.kvmesh.controller.lmcache;

import static io.kvmesh.controller.fixture.Workers.foreign;
import static io.kvmesh.controller.fixture.Workers.syncing;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.DownReason;
import io.kvmesh.common.wire.event.WorkerDown;
import io.kvmesh.common.wire.event.WorkerKind;
import io.kvmesh.controller.fixture.FakeLog;
import io.kvmesh.controller.registry.SyncView;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClashesTest {

  private static final WorkerId OLD = new WorkerId("crashed", 0);
  private static final WorkerId NEW = new WorkerId("random-name", 0);

  private final FakeLog log = new FakeLog();
  private final WorkerRegistry registry = new WorkerRegistry();
  private final FakeView view = new FakeView();
  private final FrontCounts counts = new FrontCounts();
  private long nanos;
  private final Clashes clashes =
      new Clashes(new ForeignWorkers(log, registry, counts), registry, view, counts, () -> nanos);

  @Test
  void freeAddress_isFree() {
    old(WorkerState.LIVE, 5);

    assertThat(claim(at("10.0.0.1", 1, "other"))).isCompletedWithValue(Optional.empty());
    assertThat(claim(at("127.0.0.1", 2, null))).isCompletedWithValue(Optional.empty());
    assertThat(log.events()).isEmpty();
  }

  @Test
  void ofAWorkerThatNeverSentAHeartbeat_isGivenUpAtOnce() {
    old(WorkerState.LIVE, -1);

    assertThat(claim(foreign("url"))).isCompletedWithValue(Optional.empty());
    assertThat(log.events()).containsExactly(down());
  }

  @Test
  void ofASilentWorker_isGivenUpAtOnce() {
    old(WorkerState.SILENT, 5);

    assertThat(claim(at("10.0.0.1", 7, "url"))).isCompletedWithValue(Optional.empty());
    assertThat(log.events()).containsExactly(down());
  }

  @Test
  void ofAWorkerThatSendsAHeartbeatAfterTheClaim_isRefused() {
    old(WorkerState.LIVE, 5);
    CompletableFuture<Optional<WorkerId>> claim = claim(foreign("url"));
    old(WorkerState.LIVE, 6);
    view.catchUp();
    clashes.tick();
    assertThat(claim).as("a heartbeat before the claim").isNotDone();

    old(WorkerState.LIVE, 7);
    clashes.tick();

    assertThat(claim).isCompletedWithValue(Optional.of(OLD));
    assertThat(counts.clashes()).isEqualTo(1);
    assertThat(log.events()).isEmpty();
  }

  @Test
  void ofAWorkerThatGoesSilentAfterTheClaim_isGivenUp() {
    old(WorkerState.LIVE, 5);
    CompletableFuture<Optional<WorkerId>> claim = claim(foreign("url"));
    view.catchUp();
    clashes.tick();
    old(WorkerState.SILENT, 5);
    clashes.tick();

    assertThat(claim).isCompletedWithValue(Optional.empty());
    assertThat(log.events()).containsExactly(down());
  }

  @Test
  void noSignOfLifeWithin20Seconds_isNone() {
    old(WorkerState.LIVE, 5);
    CompletableFuture<Optional<WorkerId>> claim = claim(foreign("url"));
    view.catchUp();
    nanos += Duration.ofSeconds(19).toNanos();
    clashes.tick();
    assertThat(claim).isNotDone();

    nanos += Duration.ofSeconds(1).toNanos();
    clashes.tick();

    assertThat(claim).isCompletedWithValue(Optional.empty());
    assertThat(log.events()).containsExactly(down());
  }

  @Test
  void heartbeatOfAnUnknownWorker_doesNotWait() {
    old(WorkerState.LIVE, 5);
    assertThat(clashes.holder(NEW, foreign("url"))).contains(OLD);

    old(WorkerState.SILENT, 5);
    assertThat(clashes.holder(NEW, foreign("url"))).isEmpty();
    assertThat(counts.clashes()).isEqualTo(1);
  }

  private void old(WorkerState state, long lastHeartbeatMillis) {
    registry.put(syncing(OLD, state, lastHeartbeatMillis, SyncView.NONE));
  }

  private CompletableFuture<Optional<WorkerId>> claim(Announcement announcement) {
    return clashes.awaitHolder(NEW, announcement);
  }

  private static WorkerDown down() {
    return new WorkerDown("crashed", 0, 1, DownReason.EXPIRED, -1);
  }

  private static Announcement at(String ip, int port, @Nullable String url) {
    return new Announcement(
        WorkerKind.FOREIGN, ip, port, url, null, null, null, null, null, null, null, List.of());
  }
}
