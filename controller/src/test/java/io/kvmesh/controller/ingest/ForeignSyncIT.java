package io.kvmesh.controller.ingest;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.controller.fixture.Workers;
import io.kvmesh.controller.index.ChunkIndex;
import io.kvmesh.controller.index.LocationProgress;
import io.kvmesh.controller.index.SyncProgress;
import io.kvmesh.controller.registry.SyncView;
import io.kvmesh.controller.registry.WorkerView;
import io.kvmesh.embedded.EmbeddedKafka;
import io.kvmesh.embedded.EmbeddedRedis;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A foreign worker's full sync in the view in memory and in the durable one. */
@Timeout(200)
final class ForeignSyncIT {

  private static final Duration WAIT = Duration.ofSeconds(30);

  private final ForeignLog worker = new ForeignLog("f", 2);

  @Test
  void bothViewsFollowIt_andAnotherReaderGoesOnFromTheDurableOne(@TempDir Path dir)
      throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(dir.resolve("kafka"), 0);
        EmbeddedRedis redis = EmbeddedRedis.start(dir.resolve("redis"), 0)) {
      try (TestController controller = TestController.start(kafka, redis, "foreign")) {
        controller.awaitReady();
        worker.began(controller.writer.append(worker.up()).get(30, TimeUnit.SECONDS));
        controller.write(worker.admit(1, 2, 3, 9), worker.start("s", 3, 4));
        controller.write(worker.batch("s", 2, 4), worker.batch("s", 0, 1), worker.end("s"));

        awaitBoth(controller, Set.of(1L, 2L, 3L, 4L, 9L), SyncProgress.State.RUNNING);
        assertThat(latest(controller).missing()).containsExactly(1);
      }
      try (TestController next = TestController.start(kafka, redis, "foreign")) {
        next.awaitReady();
        assertThat(latest(next).state()).isEqualTo(SyncView.State.FAILED);
        LogEvent again = worker.start("s", 2, 3);
        next.write(again, worker.batch("s", 1, 3), worker.batch("s", 0, 1, 4), worker.end("s"));

        awaitBoth(next, Set.of(1L, 3L, 4L), SyncProgress.State.COMPLETE);
      }
    }
  }

  private void awaitBoth(TestController controller, Set<Long> keys, SyncProgress.State state) {
    await()
        .atMost(WAIT)
        .untilAsserted(
            () -> {
              assertThat(held(controller.index)).isEqualTo(keys);
              assertThat(held(controller.durable())).isEqualTo(keys);
              assertThat(controller.durable().totals(worker.id(), Workers.CPU))
                  .isEqualTo(controller.index.totals(worker.id(), Workers.CPU));
              assertThat(stored(controller).state()).isEqualTo(state);
            });
  }

  private SyncProgress stored(TestController controller) {
    Map<String, LocationProgress> locations =
        controller.durable().readWorker(worker.id()).orElseThrow().progress().locations();
    return requireNonNull(requireNonNull(locations.get(Workers.CPU)).sync());
  }

  private SyncView.Sync latest(TestController controller) {
    WorkerView view = controller.registry.worker(worker.id()).orElseThrow();
    return requireNonNull(view.sync().latest());
  }

  private Set<Long> held(ChunkIndex index) {
    Set<Long> held = new HashSet<>();
    for (long hash : List.of(1L, 2L, 3L, 4L, 9L)) {
      if (index.prefix(worker.id(), Workers.CPU, Keyspace.foreign(2), new long[] {hash}) > 0) {
        held.add(hash);
      }
    }
    return held;
  }
}
