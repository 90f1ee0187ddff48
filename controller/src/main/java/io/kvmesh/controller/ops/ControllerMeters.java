package io.kvmesh.controller.ops;

import io.kvmesh.common.zmq.ConnectionCut;
import io.kvmesh.common.zmq.ZmqSockets;
import io.kvmesh.controller.index.ChunkIndex;
import io.kvmesh.controller.ingest.IngestCounts;
import io.kvmesh.controller.ingest.IngestStatus;
import io.kvmesh.controller.ingest.LogIngest;
import io.kvmesh.controller.ingest.PartitionLag;
import io.kvmesh.controller.ingest.RejectedRecord;
import io.kvmesh.controller.lmcache.FrontCounts;
import io.kvmesh.controller.log.EventLogWriter;
import io.kvmesh.controller.registry.SyncTotals;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerState;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * The controller's gauges and counters, read when they are scraped. Labels have few values, known
 * beforehand: no worker, key or partition is one.
 */
public final class ControllerMeters implements MeterBinder {

  private static final String PREFIX = "kvmesh.controller.";

  private final ChunkIndex index;
  private final WorkerRegistry registry;
  private final LogIngest ingest;
  private final EventLogWriter log;
  private final FrontCounts front;
  private final ZmqSockets sockets;

  public ControllerMeters(
      ChunkIndex index,
      WorkerRegistry registry,
      LogIngest ingest,
      EventLogWriter log,
      FrontCounts front,
      ZmqSockets sockets) {
    this.index = index;
    this.registry = registry;
    this.ingest = ingest;
    this.log = log;
    this.front = front;
    this.sockets = sockets;
  }

  @Override
  public void bindTo(MeterRegistry meters) {
    bindViews(meters);
    bindLog(meters);
    bindLag(meters, "memory", IngestStatus::lags);
    bindLag(meters, "durable", IngestStatus::durableLags);
    bindCounts(meters, "memory", ingest::counts);
    bindCounts(meters, "durable", ingest::durableCounts);
    bindFront(meters);
    bindSyncs(meters);
    bindSockets(meters);
  }

  private void bindViews(MeterRegistry meters) {
    gauge(
        meters,
        "placements",
        "Chunks of the view, once for each worker",
        Tags.empty(),
        () -> index.countByKeyspace().values().stream().mapToLong(Long::longValue).sum());
    for (WorkerState state : WorkerState.values()) {
      gauge(
          meters,
          "workers",
          "Workers of the view, by state",
          Tags.of("state", lower(state)),
          () -> registry.workers().stream().filter(worker -> worker.state() == state).count());
    }
    gauge(
        meters,
        "workers.written.off",
        "Workers dropped for their silence within the last hour that have not come back",
        Tags.empty(),
        () -> registry.writtenOff().size());
    gauge(
        meters,
        "ready",
        "1 once the log has been read to its end",
        Tags.empty(),
        () -> ingest.ready() ? 1 : 0);
    gauge(
        meters,
        "dependency.up",
        "1 while Kafka or Redis answers",
        Tags.of("dependency", "kafka"),
        () -> ingest.status().logReachable() ? 1 : 0);
    if (ingest.status().durable() != IngestStatus.Durable.OFF) {
      gauge(
          meters,
          "dependency.up",
          "1 while Kafka or Redis answers",
          Tags.of("dependency", "redis"),
          () -> ingest.status().durable() == IngestStatus.Durable.UP ? 1 : 0);
    }
    counter(
        meters,
        "log.write.failures",
        "Events that the log did not take",
        Tags.empty(),
        log::failures);
  }

  private void bindLog(MeterRegistry meters) {
    gauge(
        meters,
        "topic.misfits",
        "Settings of the log's topic that are not as they should be",
        Tags.empty(),
        () -> ingest.misfits().size());
    for (RejectedRecord.Kind kind : RejectedRecord.Kind.values()) {
      counter(
          meters,
          "rejected",
          "Records of the log that were passed over, by kind",
          Tags.of("kind", lower(kind)),
          () -> ingest.rejected(kind));
    }
  }

  private void bindLag(
      MeterRegistry meters, String view, Function<IngestStatus, List<PartitionLag>> lags) {
    Tags tags = Tags.of("view", view);
    gauge(
        meters,
        "lag.records",
        "Records of the log not applied yet",
        tags,
        () -> lags.apply(ingest.status()).stream().mapToLong(PartitionLag::records).sum());
    gauge(
        meters,
        "lag.seconds",
        "All that was written longer ago has been applied, of the partition farthest behind",
        tags,
        () ->
            lags.apply(ingest.status()).stream().mapToLong(PartitionLag::millis).max().orElse(0)
                / 1000.0);
  }

  private void bindCounts(MeterRegistry meters, String view, Supplier<IngestCounts> counts) {
    count(meters, view, "records", "Records of the log applied", counts, IngestCounts::records);
    count(
        meters, view, "operations", "Admits and evicts applied", counts, IngestCounts::operations);
    count(
        meters,
        view,
        "unsupported",
        "Records of a later format",
        counts,
        IngestCounts::unsupported);
    count(meters, view, "stale", "Records of older epochs", counts, IngestCounts::stale);
    count(meters, view, "gaps", "Times that operations were missing", counts, IngestCounts::gaps);
    count(
        meters, view, "duplicates", "Operations that came again", counts, IngestCounts::duplicates);
    count(
        meters,
        view,
        "mismatches",
        "Times that count or digest differed from the worker's",
        counts,
        IngestCounts::mismatches);
    count(meters, view, "snapshots", "Snapshots applied whole", counts, IngestCounts::snapshots);
    count(
        meters,
        view,
        "snapshots.void",
        "Snapshots that ended without being applied",
        counts,
        IngestCounts::voidSnapshots);
    count(
        meters,
        view,
        "expired",
        "Workers written off for their silence",
        counts,
        IngestCounts::expired);
    count(meters, view, "refused", "Changes that the index refused", counts, IngestCounts::refused);
    count(meters, view, "reloads", "Partitions read anew", counts, IngestCounts::reloads);
    count(
        meters,
        view,
        "truncated",
        "Stored offsets that the log no longer held",
        counts,
        IngestCounts::truncated);
    count(meters, view, "failures", "Failures of Kafka or Redis", counts, IngestCounts::failures);
    count(
        meters,
        view,
        "unplaced",
        "Chunks not admitted, since the view was full",
        counts,
        IngestCounts::unplaced);
  }

  private void bindFront(MeterRegistry meters) {
    for (FrontCounts.Door door : FrontCounts.Door.values()) {
      Tags tags = Tags.of("socket", lower(door));
      counter(meters, "messages", "Messages received, by socket", tags, () -> front.messages(door));
      gauge(
          meters,
          "messages.active",
          "Messages being handled or waiting for their reply, by socket",
          tags,
          () -> front.active(door));
      counter(
          meters,
          "messages.json",
          "Messages received as JSON, by socket",
          tags,
          () -> front.jsons(door));
      counter(
          meters,
          "garbage",
          "Frames and records that are no message, by socket",
          tags,
          () -> front.garbages(door));
      counter(
          meters,
          "messages.unsupported",
          "Messages that a socket does not serve, by socket",
          tags,
          () -> front.unsupporteds(door));
    }
    counter(
        meters,
        "garbage",
        "Frames and records that are no message, by socket",
        Tags.of("socket", "log"),
        () -> ingest.counts().garbage());
    for (FrontCounts.Loss loss : FrontCounts.Loss.values()) {
      counter(
          meters,
          "messages.lost",
          "Good messages that came to nothing, by reason",
          Tags.of("reason", lower(loss)),
          () -> front.losses(loss));
    }
    counter(
        meters,
        "traceparents.bad",
        "Lookups with a traceparent that is none, answered without their trace",
        Tags.empty(),
        front::badTraceparents);
    counter(
        meters,
        "identity.conflicts",
        "Messages of a second process of one identity",
        Tags.empty(),
        front::conflicts);
    counter(
        meters,
        "address.clashes",
        "Workers refused for the identity or an address of a live one",
        Tags.empty(),
        front::clashes);
    gauge(
        meters,
        "messages.held",
        "Messages that wait for the view to know their worker",
        Tags.empty(),
        front::held);
    counter(
        meters,
        "pull.pauses",
        "Times that pushed messages had to wait until the log had room",
        Tags.empty(),
        front::pullPauses);
  }

  private void bindSyncs(MeterRegistry meters) {
    Supplier<SyncTotals> totals = () -> SyncTotals.of(registry.workers());
    gauge(
        meters,
        "syncs.running",
        "Full syncs of LMCache workers under way",
        Tags.empty(),
        () -> totals.get().syncing());
    gauge(
        meters,
        "syncs.progress",
        "Share of the LMCache workers whose keys need no full sync",
        Tags.empty(),
        () -> totals.get().progress());
    gauge(
        meters,
        "syncs.missing.batches",
        "Batches that full syncs under way still lack",
        Tags.empty(),
        () -> totals.get().missingBatches());
  }

  private void bindSockets(MeterRegistry meters) {
    gauge(
        meters,
        "zmq.sockets",
        "Open ZeroMQ sockets",
        Tags.empty(),
        () -> sockets.stats().openSockets());
    counter(
        meters,
        "zmq.handshake.cutoffs",
        "Connections that ended before their handshake",
        Tags.empty(),
        () -> sockets.stats().handshakeCutOffs());
    counter(
        meters,
        "zmq.refused",
        "Messages dropped for too many frames",
        Tags.empty(),
        () -> sockets.stats().refusedMessages());
    counter(
        meters,
        "zmq.refused.clients",
        "Connections refused since their key is another",
        Tags.empty(),
        () -> sockets.stats().refusedClients());
    counter(
        meters,
        "zmq.lost.frames",
        "Large frames for which there was no memory at all; their messages were dropped",
        Tags.empty(),
        () -> sockets.stats().lostFrames());
    gauge(
        meters,
        "zmq.connections",
        "Connections to this program's doors",
        Tags.empty(),
        () -> sockets.stats().connections());
    for (ConnectionCut why : ConnectionCut.values()) {
      counter(
          meters,
          "zmq.connections.cut",
          "Connections to this program's doors that were cut off, by the reason",
          Tags.of("reason", lower(why)),
          () -> sockets.stats().cut(why));
    }
    counter(
        meters,
        "zmq.io.faults",
        "Exceptions on I/O threads",
        Tags.empty(),
        () -> sockets.stats().ioFaults());
  }

  private void count(
      MeterRegistry meters,
      String view,
      String name,
      String description,
      Supplier<IngestCounts> counts,
      ToLongFunction<IngestCounts> read) {
    counter(meters, name, description, Tags.of("view", view), () -> read.applyAsLong(counts.get()));
  }

  private void counter(
      MeterRegistry meters, String name, String description, Tags tags, Supplier<Number> read) {
    FunctionCounter.builder(PREFIX + name, this, value(read))
        .description(description)
        .tags(tags)
        .register(meters);
  }

  private void gauge(
      MeterRegistry meters, String name, String description, Tags tags, Supplier<Number> read) {
    Gauge.builder(PREFIX + name, this, value(read))
        .description(description)
        .tags(tags)
        .register(meters);
  }

  private static ToDoubleFunction<ControllerMeters> value(Supplier<Number> read) {
    return unused -> read.get().doubleValue();
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
