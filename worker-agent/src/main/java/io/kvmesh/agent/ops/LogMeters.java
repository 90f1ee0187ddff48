package io.kvmesh.agent.ops;

import io.kvmesh.agent.event.PublisherStats;
import io.micrometer.core.instrument.MeterRegistry;

/** How the events of this agent's cache get to the log. */
final class LogMeters {

  private static final PublisherStats NOT_STARTED =
      new PublisherStats(-1, false, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  private LogMeters() {}

  static void bind(MeterRegistry registry, AgentParts parts) {
    Figures<PublisherStats> log =
        new Figures<>(registry, parts, it -> it.log().get().orElse(NOT_STARTED));
    log.gauge("log.queued", "Events that wait for Kafka", PublisherStats::queued);
    log.gauge("log.queue.capacity", "Events that may wait for Kafka", PublisherStats::capacity);
    log.gauge("log.sequence", "Number of the last event", PublisherStats::sequence);
    log.counter(
        "log.dropped", "Events lost to a full queue or a failed send", PublisherStats::dropped);
    log.counter("log.overflows", "Times that the queue was full", PublisherStats::overflows);
    log.counter("log.records", "Records that Kafka acknowledged", PublisherStats::sentRecords);
    log.counter(
        "log.events", "Events in records that Kafka acknowledged", PublisherStats::sentEvents);
    log.counter("log.failed", "Records that Kafka did not take", PublisherStats::failedSends);
    log.counter("log.heartbeats", "Heartbeats that Kafka acknowledged", PublisherStats::heartbeats);
    log.counter("snapshots.started", "Snapshots begun", PublisherStats::snapshotsStarted);
    log.counter("snapshots.completed", "Snapshots sent whole", PublisherStats::snapshotsCompleted);
    log.counter(
        "snapshots.voided",
        "Snapshots that lost events cut short; another follows",
        PublisherStats::snapshotsVoided);
    log.counter(
        "snapshots.wanted",
        "Snapshots that a controller asked for",
        PublisherStats::snapshotsWanted);
  }
}
