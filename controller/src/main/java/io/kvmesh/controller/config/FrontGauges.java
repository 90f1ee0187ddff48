package io.kvmesh.controller.config;

import io.kvmesh.controller.lmcache.FrontCounts;
import io.kvmesh.controller.registry.SyncTotals;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerView;
import io.kvmesh.controller.web.lmcache.LmcacheGauges;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** The gauges of LMCache's controller, filled from what this one knows. */
final class FrontGauges implements LmcacheGauges {

  private final WorkerRegistry registry;
  private final LongSupplier gaps;
  private final FrontCounts front;

  /**
   * @param gaps times that operations were missing
   */
  FrontGauges(WorkerRegistry registry, LongSupplier gaps, FrontCounts front) {
    this.registry = registry;
    this.gaps = gaps;
    this.front = front;
  }

  @Override
  public List<Gauge> read() {
    List<WorkerView> workers = registry.workers();
    return Stream.of(keys(workers), sockets(), syncs(SyncTotals.of(workers)))
        .flatMap(List::stream)
        .toList();
  }

  private List<Gauge> keys(List<WorkerView> workers) {
    return List.of(
        new Gauge(
            "kv_pool_keys_count",
            "Chunks of all workers; one that two hold counts twice",
            workers.stream().mapToLong(WorkerView::residentCount).sum()),
        new Gauge("registered_workers_count", "Workers that are known", workers.size()),
        new Gauge(
            "kv_op_seq_discontinuity_count",
            "Times that operations were missing since the start",
            gaps.getAsLong()));
  }

  private List<Gauge> sockets() {
    long pull = front.active(FrontCounts.Door.PULL);
    long reply = front.active(FrontCounts.Door.REPLY) + front.active(FrontCounts.Door.HEARTBEAT);
    return List.of(
        new Gauge(
            "pull_socket_message_count",
            "Messages at the pull port since the start",
            front.messages(FrontCounts.Door.PULL)),
        new Gauge(
            "reply_socket_message_count",
            "Messages at the reply port since the start, heartbeats included",
            front.messages(FrontCounts.Door.REPLY) + front.messages(FrontCounts.Door.HEARTBEAT)),
        new Gauge(
            "pull_socket_active_requests", "Messages of the pull port that are not done yet", pull),
        new Gauge(
            "reply_socket_active_requests",
            "Messages of the reply port that are not done yet, heartbeats included",
            reply),
        new Gauge(
            "pull_socket_has_pending",
            "1 while a message of the pull port is not done yet",
            pull > 0 ? 1 : 0),
        new Gauge(
            "reply_socket_has_pending",
            "1 while a message of the reply port is not done yet, heartbeats included",
            reply > 0 ? 1 : 0));
  }

  private static List<Gauge> syncs(SyncTotals totals) {
    return List.of(
        new Gauge(
            "full_sync_workers_syncing", "Workers with a full sync under way", totals.syncing()),
        new Gauge(
            "full_sync_workers_completed", "Workers that need no full sync", totals.completed()),
        new Gauge(
            "full_sync_global_progress", "Their share of all, from 0 to 1", totals.progress()),
        new Gauge(
            "full_sync_missing_batches_total",
            "Batches that are still missing of full syncs under way",
            totals.missingBatches()));
  }
}
