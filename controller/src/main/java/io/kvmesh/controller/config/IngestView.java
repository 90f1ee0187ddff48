package io.kvmesh.controller.config;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.ingest.Applied;
import io.kvmesh.controller.ingest.LogIngest;
import io.kvmesh.controller.ingest.PartitionLag;
import io.kvmesh.controller.lmcache.LogView;
import io.kvmesh.controller.lookup.Barrier;
import io.kvmesh.controller.web.LogProgress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** What sockets and REST need to know of ingest, without knowing it. Any thread. */
final class IngestView implements Barrier, LogView, LogProgress {

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
  public Map<Integer, Lag> lags() {
    return ingest.status().lags().stream()
        .collect(Collectors.toMap(PartitionLag::partition, IngestView::lag));
  }

  private static Lag lag(PartitionLag lag) {
    return new Lag(lag.records(), lag.millis(), lag.visibleMillis(), lag.logMillis());
  }
}
