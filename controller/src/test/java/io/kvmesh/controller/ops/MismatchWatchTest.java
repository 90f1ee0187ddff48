package io.kvmesh.controller.ops;

import static io.kvmesh.controller.fixture.Workers.agent;
import static io.kvmesh.controller.fixture.Workers.live;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

class MismatchWatchTest {

  private final WorkerRegistry registry = new WorkerRegistry();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final MismatchWatch watch = new MismatchWatch(registry, meters);

  @Test
  void mismatch_isCountedOnceAndShownWhileItLasts() {
    registry.put(live(new WorkerId("A", 0), 1, agent("a")));
    registry.put(live(new WorkerId("B", 0), 2, agent("b", "7")));
    watch.run();
    watch.run();

    assertThat(found()).isEqualTo(1);
    assertThat(now()).isEqualTo(1);

    registry.put(live(new WorkerId("B", 0), 3, agent("b")));
    watch.run();

    assertThat(found()).isEqualTo(1);
    assertThat(now()).isZero();
  }

  private double found() {
    return meters.get("kvmesh.controller.announcement.mismatches").counter().count();
  }

  private double now() {
    return meters.get("kvmesh.controller.workers.mismatched").gauge().value();
  }
}
