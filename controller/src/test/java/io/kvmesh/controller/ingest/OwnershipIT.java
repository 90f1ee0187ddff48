package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.wire.event.DownReason;
import io.kvmesh.controller.index.KeyTotals;
import io.kvmesh.controller.index.Placement;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who holds what after a holder leaves, comes back and is cleared: in memory and in Redis. */
final class OwnershipIT {

  private static final long[] KEYS = LongStream.range(0, 10_000).toArray();

  private static DurableFixture fixture;

  @BeforeAll
  static void start(@TempDir Path dir) throws Exception {
    fixture = new DurableFixture(dir);
  }

  @AfterAll
  static void stop() {
    fixture.close();
  }

  @Test
  void oneOfTwoHoldersLeaves_comesBackAndIsCleared_theOtherKeepsAll() throws Exception {
    TestAgent a = new TestAgent("a");
    TestAgent b = new TestAgent("b");
    try (TestController controller = fixture.controller("leaves")) {
      for (TestAgent agent : List.of(a, b)) {
        controller.start(agent);
        controller.write(agent.admit(KEYS));
        controller.applied(agent);
        fixture.awaitDurable(controller, agent);
      }

      controller.write(a.down(DownReason.DEREGISTERED));
      await().atMost(DurableFixture.WAIT).until(() -> controller.registry.worker(a.id()).isEmpty());
      assertOnlyHolder(controller, b);
      assertThat(controller.index.totals(a.id())).isEqualTo(KeyTotals.NONE);
      await()
          .atMost(DurableFixture.WAIT)
          .until(() -> !controller.durable().listWorkers().containsKey(a.id()));
      assertThat(fixture.keysOf("leaves")).noneMatch(key -> key.contains("{a/0}"));

      controller.start(a);
      controller.write(a.admit(LongStream.range(0, 100).toArray()));
      controller.applied(a);
      assertThat(controller.index.totals(a.id()).count()).isEqualTo(100);
      controller.write(a.evict(LongStream.range(0, 100).toArray()));
      controller.applied(a);

      assertOnlyHolder(controller, b);
      assertThat(controller.index.totals(a.id())).isEqualTo(KeyTotals.NONE);
      fixture.awaitDurable(controller, a);
      fixture.awaitDurable(controller, b);
      assertThat(controller.durable().totals(b.id()).count()).isEqualTo(KEYS.length);
    }
  }

  private static void assertOnlyHolder(TestController controller, TestAgent holder) {
    List<Placement> only = List.of(new Placement(holder.id(), TestAgent.LOCATION));
    for (long key : KEYS) {
      assertThat(controller.index.holders(TestAgent.KEYSPACE, key)).isEqualTo(only);
    }
  }
}
