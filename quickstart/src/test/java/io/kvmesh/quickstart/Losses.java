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
    lose(fleet, "records");
  }

  /** The log's topic is deleted. Whoever writes next makes another, whose offsets begin at 0. */
  static void topic(Fleet fleet) throws Exception {
    lose(fleet, "topic");
  }

  private static void lose(Fleet fleet, String what) throws Exception {
    Process losing =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                Modules.ofThisBuild().classPath("embedded"),
                "io.kvmesh.embedded.TopicLossMain",
                fleet.kafka().address(Fleet.CLIENT),
                EventTopic.name(CLUSTER),
                what)
            .inheritIO()
            .start();
    try {
      assertThat(losing.waitFor(WAIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(losing.exitValue()).isZero();
    } finally {
      losing.destroyForcibly();
    }
  }
}
