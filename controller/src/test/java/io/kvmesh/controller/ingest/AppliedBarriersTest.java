package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.ingest.Applied.Outcome;
import io.kvmesh.controller.registry.LastBeat;
import io.kvmesh.controller.registry.LocationView;
import io.kvmesh.controller.registry.SyncView;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerState;
import io.kvmesh.controller.registry.WorkerView;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class AppliedBarriersTest {

  private static final WorkerId A = new WorkerId("a", 0);
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final int MAX = 3;

  private final WorkerRegistry registry = new WorkerRegistry();
  private final AppliedBarriers barriers = new AppliedBarriers(registry, MAX);

  @Test
  void whatIsAppliedAlready_isAnsweredAtOnce() {
    show(10, 5);

    assertThat(barriers.await(A, 10, 5, LONG)).isCompletedWithValue(applied(10, 5));
    assertThat(barriers.await(A, 10, 0, LONG)).isCompletedWithValue(applied(10, 5));
    assertThat(barriers.waiting()).isZero();
  }

  @Test
  void whatIsStillToCome_isAnsweredWhenItHasBeenApplied() {
    CompletableFuture<Applied> waiting = barriers.await(A, 10, 5, LONG);
    show(10, 4);
    assertThat(waiting).isNotDone();

    show(10, 7);

    assertThat(waiting).isCompletedWithValue(applied(10, 7));
    assertThat(barriers.waiting()).isZero();
  }

  @Test
  void aLaterEpoch_answersThatItNeverWillBe() {
    CompletableFuture<Applied> waiting = barriers.await(A, 10, 5, LONG);

    show(11, 0);

    assertThat(waiting).isCompletedWithValue(new Applied(Outcome.SUPERSEDED, 11, 0));
  }

  @Test
  void aWorkerThatGoesDown_isWaitedFor() {
    show(10, 4);
    CompletableFuture<Applied> waiting = barriers.await(A, 10, 5, LONG);

    registry.remove(A);
    barriers.changed(A);

    assertThat(waiting).isNotDone();
  }

  @Test
  void theTimeIsOver_answersHowFarItIs() throws Exception {
    show(10, 4);

    Applied answer = barriers.await(A, 10, 5, Duration.ofMillis(5)).get(10, TimeUnit.SECONDS);

    assertThat(answer).isEqualTo(new Applied(Outcome.TIMED_OUT, 10, 4));
    assertThat(barriers.waiting()).isZero();
  }

  @Test
  void tooManyWaiters_areRefused() {
    for (int i = 0; i < MAX; i++) {
      assertThat(barriers.await(A, 10, 5, LONG)).isNotDone();
    }

    assertThat(barriers.await(A, 10, 5, LONG))
        .isCompletedWithValue(new Applied(Outcome.REFUSED, -1, -1));
  }

  @Test
  void closing_refusesAll() {
    CompletableFuture<Applied> waiting = barriers.await(A, 10, 5, LONG);

    barriers.close();

    assertThat(waiting).isCompletedWithValue(new Applied(Outcome.REFUSED, -1, -1));
    assertThat(barriers.await(A, 10, 5, LONG))
        .isCompletedWithValue(new Applied(Outcome.REFUSED, -1, -1));
  }

  private static Applied applied(long epoch, long sequence) {
    return new Applied(Outcome.APPLIED, epoch, sequence);
  }

  private void show(long epoch, long sequence) {
    LocationView location = new LocationView(sequence, 0, 0, false, false, 0, 0, 0, 0);
    registry.put(
        new WorkerView(
            A,
            WorkerState.LIVE,
            false,
            epoch,
            null,
            Map.of(TestAgent.LOCATION, location),
            0,
            0,
            0,
            0,
            0,
            0,
            SyncView.NONE,
            LastBeat.UNTOLD));
    barriers.changed(A);
  }
}
