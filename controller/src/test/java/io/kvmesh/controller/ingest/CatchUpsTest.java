package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class CatchUpsTest {

  private static final Duration LONG = Duration.ofMinutes(1);

  private final CatchUps catchUps = new CatchUps(2);
  private final ReadPositions positions = new ReadPositions(System::nanoTime);

  CatchUpsTest() {
    positions.start(0, 5);
    positions.start(1, 9);
  }

  @Test
  void completesWhenAllThatWasThereHasBeenApplied() {
    CompletableFuture<Boolean> waiting = catchUps.await(LONG);
    assertThat(catchUps.ask()).isTrue();
    catchUps.ends(Map.of(0, 7L, 1, 9L));
    assertThat(catchUps.ask()).isFalse();
    positions.applied(0, 6, 0);
    catchUps.check(positions);
    assertThat(waiting).isNotDone();

    positions.applied(0, 7, 0);
    catchUps.check(positions);

    assertThat(waiting).isCompletedWithValue(true);
  }

  @Test
  void whoComesAfterTheBrokerWasAsked_isNotTakenInByItsAnswer() {
    catchUps.ask();
    CompletableFuture<Boolean> late = catchUps.await(LONG);
    catchUps.ends(Map.of(0, 0L));
    catchUps.check(positions);

    assertThat(late).isNotDone();
    assertThat(catchUps.ask()).isTrue();
  }

  @Test
  void tooManyTooLateOrClosing_isFalse() throws Exception {
    assertThat(catchUps.await(Duration.ofMillis(5)).get(10, TimeUnit.SECONDS)).isFalse();
    CompletableFuture<Boolean> waiting = catchUps.await(LONG);
    assertThat(catchUps.await(LONG)).isNotDone();
    assertThat(catchUps.await(LONG)).isCompletedWithValue(false);

    catchUps.close();

    assertThat(waiting).isCompletedWithValue(false);
    assertThat(catchUps.await(LONG)).isCompletedWithValue(false);
  }
}
