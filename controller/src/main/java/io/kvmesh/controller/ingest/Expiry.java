package io.kvmesh.controller.ingest;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.DownReason;
import io.kvmesh.common.wire.event.WorkerDown;
import io.kvmesh.controller.log.EventLogWriter;
import io.kvmesh.controller.registry.WorkerProbe;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes off workers that have been silent for too long: once for each silence, on the log, from
 * where every view reads it. Only for partitions that this controller owns and has read to the end.
 * A foreign worker without heartbeats may just have nothing to say, so it is asked first.
 */
final class Expiry {

  private static final Logger log = LoggerFactory.getLogger(Expiry.class);

  private final EventLogWriter writer;
  private final IngestCounters counters;
  private final Probes probes;
  private final Set<Silence> writtenOff = ConcurrentHashMap.newKeySet();

  private record Silence(int partition, WorkerId worker, long epoch, long heartbeatOffset) {}

  Expiry(EventLogWriter writer, WorkerProbe probe, IngestCounters counters) {
    this.writer = writer;
    this.probes = new Probes(probe);
    this.counters = counters;
  }

  /** Writes off the partition's workers whose time is over. */
  void check(WorkerStreams streams, int partition) {
    List<WorkerStream> expired = new ArrayList<>(streams.expired(partition));
    expired.addAll(probes.check(streams, partition));
    if (expired.isEmpty() && writtenOff.isEmpty()) {
      return;
    }
    Set<Silence> silences = new HashSet<>();
    for (WorkerStream stream : expired) {
      silences.add(
          new Silence(partition, stream.id(), stream.epoch(), stream.signs().heartbeatOffset()));
    }
    writtenOff.removeIf(known -> known.partition() == partition && !silences.contains(known));
    silences.forEach(this::writeOff);
  }

  private void writeOff(Silence silence) {
    if (!writtenOff.add(silence)) {
      return;
    }
    WorkerDown down =
        new WorkerDown(
            silence.worker().instanceId(),
            silence.worker().rank(),
            silence.epoch(),
            DownReason.EXPIRED,
            silence.heartbeatOffset());
    var _ =
        writer.append(down).whenComplete((offset, failure) -> written(silence, failure == null));
  }

  private void written(Silence silence, boolean done) {
    if (!done) {
      writtenOff.remove(silence);
      return;
    }
    counters.expired.increment();
    log.warn(
        "Worker {} (epoch {}) is written off: its last heartbeat was at offset {}",
        silence.worker(),
        silence.epoch(),
        silence.heartbeatOffset());
  }
}
