package io.kvmesh.controller.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.fixture.Workers;
import io.kvmesh.controller.lmcache.FrontCounts;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.web.lmcache.LmcacheGauges.Gauge;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class FrontGaugesTest {

  private final WorkerRegistry registry = new WorkerRegistry();
  private final FrontGauges gauges = new FrontGauges(registry, () -> 3, new FrontCounts());

  private Map<String, Double> values() {
    return gauges.read().stream().collect(Collectors.toMap(Gauge::name, Gauge::value));
  }

  @Test
  void read_hasAllOfLmcaches() {
    assertThat(values().keySet())
        .containsExactlyInAnyOrder(
            "kv_pool_keys_count",
            "registered_workers_count",
            "pull_socket_message_count",
            "reply_socket_message_count",
            "pull_socket_has_pending",
            "reply_socket_has_pending",
            "pull_socket_active_requests",
            "reply_socket_active_requests",
            "kv_op_seq_discontinuity_count",
            "full_sync_workers_syncing",
            "full_sync_workers_completed",
            "full_sync_global_progress",
            "full_sync_missing_batches_total");
  }

  @Test
  void read_aWorkerThatNeedsNoSync_isDone() {
    registry.put(Workers.live(new WorkerId("W", 0), 1, Workers.foreign("W:1")));

    assertThat(values())
        .containsEntry("registered_workers_count", 1.0)
        .containsEntry("kv_op_seq_discontinuity_count", 3.0)
        .containsEntry("full_sync_workers_completed", 1.0)
        .containsEntry("full_sync_global_progress", 1.0)
        .containsEntry("full_sync_missing_batches_total", 0.0)
        .containsEntry("pull_socket_has_pending", 0.0);
  }
}
