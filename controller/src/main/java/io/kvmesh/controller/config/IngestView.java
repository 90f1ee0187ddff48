package io.kvmesh.controller.config;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.ingest.Applied;
import io.kvmesh.controller.ingest.LogIngest;
import io.kvmesh.controller.ingest.PartitionLag;
import io.kvmesh.controller.ingest.RejectedRecord;
import io.kvmesh.controller.lmcache.LogView;
import io.kvmesh.controller.lookup.Barrier;
import io.kvmesh.controller.vllm.OwnedView;
import io.kvmesh.controller.web.LogProgress;
import io.kvmesh.controller.web.LogState;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** What sockets and REST need to know of ingest, without knowing it. Any thread. */
final class IngestView implements Barrier, LogView, LogProgress, LogState, OwnedView {

  private final LogIngest ingest;

  IngestView(LogIngest ingest) {
    this.ingest = ingest;
  }

  @Override
  public boolean ready() {
    return ingest.ready();
  }

  @Override
  public CompletableFuture<Answer> await(
      WorkerId worker, long epoch, long sequence, Duration timeout) {
    return ingest.awaitApplied(worker, epoch, sequence, timeout).thenApply(IngestView::answer);
  }

  private static Answer answer(Applied applied) {
    Outcome outcome =
        switch (applied.outcome()) {
          case APPLIED -> Outcome.APPLIED;
          case TIMED_OUT -> Outcome.TIMED_OUT;
          case SUPERSEDED -> Outcome.SUPERSEDED;
          case REFUSED -> Outcome.REFUSED;
        };
    return new Answer(outcome, applied.epoch(), applied.sequence());
  }

  @Override
  public CompletableFuture<Boolean> caughtUp(Duration timeout) {
    return ingest.awaitCaughtUp(timeout);
  }

  @Override
  public boolean snapshotWanted(WorkerId worker) {
    return ingest.snapshotWanted(worker);
  }

  @Override
  public boolean owns(WorkerId worker) {
    return ingest.owns(worker);
  }

  @Override
  public Map<Integer, Lag> lags() {
    return ingest.status().lags().stream()
        .collect(Collectors.toMap(PartitionLag::partition, IngestView::lag));
  }

  @Override
  public List<Misfit> misfits() {
    return ingest.misfits().stream()
        .map(it -> new Misfit(it.setting(), it.value(), it.needed(), it.effect()))
        .toList();
  }

  @Override
  public List<Partition> partitions() {
    return ingest.status().lags().stream()
        .map(
            lag ->
                new Partition(
                    lag.partition(),
                    lag.position(),
                    lag.end(),
                    lag.records(),
                    lag.millis(),
                    lag.visibleMillis(),
                    lag.logMillis(),
                    lag.owned()))
        .toList();
  }

  @Override
  public Map<String, Long> rejectedCounts() {
    Map<String, Long> counts = new LinkedHashMap<>();
    for (RejectedRecord.Kind kind : RejectedRecord.Kind.values()) {
      counts.put(kind.name(), ingest.rejected(kind));
    }
    return counts;
  }

  @Override
  public List<Rejected> rejected() {
    return ingest.rejected().stream()
        .map(
            it ->
                new Rejected(
                    it.partition(),
                    it.offset(),
                    it.timestampMillis(),
                    it.key(),
                    it.kind().name(),
                    it.reason(),
                    it.bytes(),
                    it.firstBytes()))
        .toList();
  }

  private static Lag lag(PartitionLag lag) {
    return new Lag(lag.records(), lag.millis(), lag.visibleMillis(), lag.logMillis());
  }
}
