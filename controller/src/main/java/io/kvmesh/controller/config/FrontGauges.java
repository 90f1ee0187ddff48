package io.kvmesh.controller.config;

import io.kvmesh.controller.ingest.LogIngest;
import io.kvmesh.controller.lmcache.FrontCounts;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerView;
import io.kvmesh.controller.web.lmcache.LmcacheGauges;
import java.util.List;

/** The gauges of LMCache's controller that this one can fill. */
final class FrontGauges implements LmcacheGauges {

  private final WorkerRegistry registry;
  private final LogIngest ingest;
  private final FrontCounts front;

  FrontGauges(WorkerRegistry registry, LogIngest ingest, FrontCounts front) {
    this.registry = registry;
    this.ingest = ingest;
    this.front = front;
  }

  @Override
  public List<Gauge> read() {
    List<WorkerView> workers = registry.workers();
    return List.of(
        new Gauge(
            "kv_pool_keys_count",
            "Chunks of all workers; one that two hold counts twice",
            workers.stream().mapToLong(WorkerView::residentCount).sum()),
        new Gauge("registered_workers_count", "Workers that are known", workers.size()),
        new Gauge(
            "pull_socket_message_count",
            "Messages at the pull port since the start",
            front.messages(FrontCounts.Door.PULL)),
        new Gauge(
            "reply_socket_message_count",
            "Messages at the reply port since the start, heartbeats included",
            front.messages(FrontCounts.Door.REPLY) + front.messages(FrontCounts.Door.HEARTBEAT)),
        new Gauge(
            "pull_socket_active_requests",
            "Messages of the pull port that are not done yet",
            front.active(FrontCounts.Door.PULL)),
        new Gauge(
            "reply_socket_active_requests",
            "Messages of the reply port that are not done yet, heartbeats included",
            front.active(FrontCounts.Door.REPLY) + front.active(FrontCounts.Door.HEARTBEAT)),
        new Gauge(
            "kv_op_seq_discontinuity_count",
            "Times that operations were missing since the start",
            ingest.counts().gaps()));
  }
}
