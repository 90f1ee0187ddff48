package io.kvmesh.controller.lmcache;

import static io.kvmesh.controller.fixture.Workers.agent;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.controller.registry.LastBeat;
import io.kvmesh.controller.registry.SyncView;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerState;
import io.kvmesh.controller.registry.WorkerView;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConflictsTest {

  private static final WorkerId A = new WorkerId("A", 0);
  private static final Announcement ELSEWHERE =
      ForeignWorkers.announcement("10.0.0.9", 1, "10.0.0.9:2");

  private final WorkerRegistry registry = new WorkerRegistry();
  private final FakeView view = new FakeView();
  private final FrontCounts counts = new FrontCounts();
  private final Conflicts conflicts = new Conflicts(registry, view, Duration.ofSeconds(5), counts);

  @Test
  void restart_theFirstOneIsHeardNoMore() {
    WorkerView known = heard(5, 1_000);
    assertThat(conflicts.bothLive(known, ELSEWHERE, null)).isFalse();
    WorkerView late = heard(5, 2_000);
    assertThat(conflicts.bothLive(late, ELSEWHERE, null)).as("not read yet").isFalse();

    view.catchUp();

    assertThat(conflicts.bothLive(late, ELSEWHERE, null)).isFalse();
    assertThat(conflicts.bothLive(late, ELSEWHERE, null)).isFalse();
    assertThat(counts.conflicts()).isZero();
  }

  @Test
  void twoProcesses_areHeardInTurn() {
    assertThat(conflicts.bothLive(heard(5, 1_000), ELSEWHERE, null)).isFalse();
    view.catchUp();

    assertThat(conflicts.bothLive(heard(5, 1_001), ELSEWHERE, null)).isTrue();
    assertThat(conflicts.bothLive(heard(5, 1_002), ELSEWHERE, null)).isTrue();
    assertThat(counts.conflicts()).isEqualTo(2);
  }

  @Test
  void laterLifeOfTheFirst_isAnotherPair() {
    conflicts.bothLive(heard(5, 1_000), ELSEWHERE, null);
    WorkerView next = heard(9, 2_000);
    view.catchUp();

    assertThat(conflicts.bothLive(next, ELSEWHERE, null)).isFalse();
    view.catchUp();
    assertThat(conflicts.bothLive(heard(9, 2_001), ELSEWHERE, null)).isTrue();
  }

  private WorkerView heard(long epoch, long lastHeartbeatMillis) {
    WorkerView known =
        new WorkerView(
            A,
            WorkerState.LIVE,
            false,
            epoch,
            agent("url"),
            Map.of(),
            epoch,
            lastHeartbeatMillis,
            lastHeartbeatMillis,
            0,
            epoch,
            0,
            SyncView.NONE,
            LastBeat.UNTOLD);
    registry.put(known);
    return known;
  }
}
