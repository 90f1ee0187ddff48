package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Lags by a manual clock, while the broker's clock is years away. */
final class ReadPositionsTest {

  private static final long BROKER = 4_000_000_000_000L;

  private long millis = 10_000;
  private final ReadPositions positions = new ReadPositions(this::nanos);
  private final List<Duration> measured = new ArrayList<>();
  private final TickDelays delays = new TickDelays(positions, measured::add, this::nanos);
  private final OwnedPartitions owned = new OwnedPartitions();

  private long nanos() {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  private PartitionLag lag() {
    return positions.lags(owned, delays).getFirst();
  }

  @Test
  void atTheEnd_noLag() {
    positions.start(0, 5);
    positions.end(0, 5, nanos());
    millis += 60_000;

    assertThat(lag().records()).isZero();
    assertThat(lag().millis()).isZero();
    assertThat(lag().logMillis()).isNull();
  }

  @Test
  void behind_sinceTheLastTimeThatAllWasApplied() {
    positions.start(0, 5);
    positions.end(0, 5, nanos());
    millis += 1_000;
    positions.end(0, 9, nanos());
    millis += 1_000;
    positions.end(0, 12, nanos());
    assertThat(lag().records()).isEqualTo(7);
    assertThat(lag().millis()).isEqualTo(2_000);

    positions.applied(0, 10, BROKER);
    assertThat(lag().millis()).isEqualTo(1_000);

    positions.applied(0, 12, BROKER);
    assertThat(lag().millis()).isZero();
  }

  @Test
  void manyEndsNotReached_areBounded() {
    positions.start(0, 0);
    for (int i = 1; i <= 10_000; i++) {
      millis += 1;
      positions.end(0, i, nanos());
    }
    assertThat(lag().millis()).isEqualTo(10_000);

    positions.applied(0, 9_999, BROKER);

    assertThat(lag().records()).isEqualTo(1);
    assertThat(lag().millis()).isBetween(1L, 10_000L);
  }

  @Test
  void timeOfThePartition_isTheBrokersAndGoesOn() {
    positions.start(0, 0);
    positions.applied(0, 1, BROKER);
    millis += 250;

    assertThat(lag().logMillis()).isEqualTo(BROKER + 250);
  }

  @Test
  void tick_isMeasuredFromTheLogsDoorToTheView() {
    owned.add(List.of(0));
    positions.start(0, 0);
    long begun = nanos();
    millis += 3;
    delays.written(0, 0, begun);
    assertThat(measured).isEmpty();
    millis += 20;
    assertThat(lag().visibleMillis()).isEqualTo(23);

    positions.applied(0, 1, BROKER);
    delays.check();
    millis += 500;
    delays.check();

    assertThat(measured).containsExactly(Duration.ofMillis(23));
    assertThat(lag().visibleMillis()).isEqualTo(23);
  }

  @Test
  void ticksBehindOneUnderWay_areNotFollowed_butThoseOfANewLogAre() {
    positions.start(0, 0);
    delays.written(0, 100, nanos());
    millis += 1;
    delays.written(0, 101, nanos());
    positions.applied(0, 101, BROKER);
    delays.check();
    assertThat(measured).containsExactly(Duration.ofMillis(1));

    delays.written(0, 200, nanos());
    positions.start(0, 0);
    delays.written(0, 3, nanos());
    millis += 2;
    positions.applied(0, 4, BROKER);
    delays.check();

    assertThat(measured).containsExactly(Duration.ofMillis(1), Duration.ofMillis(2));
  }
}
