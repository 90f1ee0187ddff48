package io.kvmesh.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.wire.event.EventTopic;
import io.kvmesh.quickstart.fleet.Fleet;
import io.kvmesh.quickstart.fleet.Member;
import io.kvmesh.quickstart.fleet.Modules;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Takes from a fleet what its index is kept in. */
final class Losses {

  private static final Duration WAIT = Duration.ofMinutes(1);
  private static final String CLUSTER = "kvmesh";

  private Losses() {}

  /** Redis is killed and comes back with nothing. */
  static void redis(Fleet fleet) throws InterruptedException {
    fleet.redis().kill();
    awaitStarted(fleet.redis());
  }

  /** Redis's port is free only when its server has noticed that its parent is gone. */
  private static void awaitStarted(Member member) {
    await()
        .atMost(WAIT)
        .ignoreExceptions()
        .until(
            () -> {
              member.start();
              return true;
            });
  }

  /** The log has no record any more, as when its retention is over; its offsets go on. */
  static void log(Fleet fleet) throws Exception {
    Process emptying =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                Modules.ofThisBuild().classPath("embedded"),
                "io.kvmesh.embedded.EmptyTopicMain",
                fleet.kafka().address(Fleet.CLIENT),
                EventTopic.name(CLUSTER))
            .inheritIO()
            .start();
    try {
      assertThat(emptying.waitFor(WAIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(emptying.exitValue()).isZero();
    } finally {
      emptying.destroyForcibly();
    }
  }
}
