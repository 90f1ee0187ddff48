package io.kvmesh.controller.ingest;

import io.kvmesh.controller.index.MemoryIndex;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.trail.Trail;
import java.time.Duration;
import java.time.InstantSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of a record's bytes into the view in memory. What can't be applied is counted and passed
 * over. One thread.
 */
public final class MemoryFeed {

  private static final Logger log = LoggerFactory.getLogger(MemoryFeed.class);

  private final MemoryApplier applier;
  private final RecordDecoder decoder;
  private final IngestCounters counters;

  MemoryFeed(MemoryApplier applier, RecordDecoder decoder, IngestCounters counters) {
    this.applier = applier;
    this.decoder = decoder;
    this.counters = counters;
  }

  /** A feed of its own, for records that come from no broker; nobody waits for what is applied. */
  public static MemoryFeed of(MemoryIndex index, WorkerRegistry registry, Duration heartbeats) {
    IngestCounters counters = new IngestCounters();
    WorkerStreams.Liveness liveness =
        new WorkerStreams.Liveness(
            heartbeats.multipliedBy(3),
            heartbeats.multipliedBy(12),
            heartbeats.multipliedBy(2),
            heartbeats.multipliedBy(60));
    TrailWriter trail = new TrailWriter(new Trail(InstantSource.system()));
    MemoryApplier applier =
        new MemoryApplier(
            index,
            registry,
            new AppliedBarriers(registry, 0),
            new WorkerStreams(liveness, counters),
            counters,
            trail);
    return new MemoryFeed(
        applier,
        new RecordDecoder("A feed", counters, System::nanoTime, trail::rejected),
        counters);
  }

  /** Applies the record; {@link #publish} shows what has come of its worker. */
  public void apply(ConsumerRecord<byte[], byte[]> record) {
    LogRecord decoded = decoder.decode(record);
    if (decoded == null) {
      return;
    }
    try {
      applier.apply(decoded);
    } catch (IllegalArgumentException e) {
      decoder.garbage(record, e.getMessage());
    } catch (RuntimeException e) {
      // A fault of ours must not hold up the partition; the worker is filled by a snapshot.
      log.error("Can't apply the record at offset {}", record.offset(), e);
      decoder.garbage(record, e.toString());
      applier.startAnew(decoded);
    }
  }

  /** Shows the workers that records have changed. */
  public void publish() {
    applier.publish();
  }

  /** What has been counted so far. */
  public IngestCounts counts() {
    return counters.counts();
  }
}
