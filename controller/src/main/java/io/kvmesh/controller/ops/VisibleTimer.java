package io.kvmesh.controller.ops;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.function.Consumer;

/** Times how long records take from being given to the log until the view has them. Any thread. */
public final class VisibleTimer implements Consumer<Duration> {

  private static final Duration[] BUCKETS = {
    Duration.ofMillis(5),
    Duration.ofMillis(20),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(250),
    Duration.ofSeconds(1),
    Duration.ofSeconds(5),
    Duration.ofSeconds(30)
  };

  private final Timer timer;

  public VisibleTimer(MeterRegistry meters) {
    this.timer =
        Timer.builder("kvmesh.controller.visible")
            .description("Time from a record's being given to the log until the view has it")
            .serviceLevelObjectives(BUCKETS)
            .register(meters);
  }

  @Override
  public void accept(Duration took) {
    timer.record(took);
  }
}
