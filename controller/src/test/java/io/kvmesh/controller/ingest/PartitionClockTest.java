package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class PartitionClockTest {

  private final PartitionClock clock = new PartitionClock(Duration.ofSeconds(10));

  @Test
  void timeGoesOnBetweenRecords() {
    clock.advance(1_000_000);
    assertThat(clock.millis()).isZero();
    clock.advance(1_005_000);
    clock.advance(1_009_000);

    assertThat(clock.millis()).isEqualTo(9_000);
  }

  @Test
  void aLongGap_countsAsTheLongestStep() {
    clock.advance(0);
    clock.advance(Duration.ofHours(1).toMillis());

    assertThat(clock.millis()).isEqualTo(10_000);
  }

  @Test
  void aBrokersClockThatIsSetBack_stopsTimeUntilItHasCaughtUp() {
    clock.advance(50_000);
    clock.advance(20_000);
    clock.advance(49_000);
    assertThat(clock.millis()).isZero();
    clock.advance(53_000);

    assertThat(clock.millis()).isEqualTo(3_000);
  }

  @Test
  void aBrokersClockThatJumpsADayAheadAndIsPutRight_goesOnAtOnce() {
    long day = Duration.ofDays(1).toMillis();
    clock.advance(0);
    clock.advance(5_000);
    clock.advance(day);
    clock.advance(day + 5_000);
    assertThat(clock.millis()).isEqualTo(20_000);

    clock.advance(12_000);
    clock.advance(17_000);

    assertThat(clock.millis()).isEqualTo(25_000);
  }
}
