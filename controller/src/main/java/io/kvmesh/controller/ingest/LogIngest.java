package io.kvmesh.controller.ingest;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.index.MemoryIndex;
import io.kvmesh.controller.index.redis.RedisIndex;
import io.kvmesh.controller.log.EventLogTopic;
import io.kvmesh.controller.log.EventLogWriter;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerView;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reads the log into the views. One thread applies every partition to the view in memory, another
 * is this controller's member of the group that writes the durable view and writes off workers that
 * have gone silent. All methods may be called from any thread.
 */
public final class LogIngest implements AutoCloseable {

  private final WorkerRegistry registry;
  private final OwnedPartitions owned = new OwnedPartitions();
  private final ReadPositions positions = new ReadPositions(InstantSource.system());
  private final IngestCounters counters = new IngestCounters();
  private final AppliedBarriers barriers;
  private final CatchUps catchUps;
  private final ViewReader view;
  private final ReaderThread viewThread;
  private final ReaderThread memberThread;

  /**
   * Assigns only; see {@link #start}.
   *
   * @param durable the durable view, or null if there is none
   */
  public LogIngest(
      IngestSettings settings,
      MemoryIndex index,
      WorkerRegistry registry,
      EventLogWriter log,
      @Nullable RedisIndex durable) {
    this.registry = registry;
    this.barriers = new AppliedBarriers(registry, settings.maxWaiters());
    this.catchUps = new CatchUps(settings.maxWaiters());
    EventLogTopic topic =
        new EventLogTopic(
            settings.cluster(),
            settings.kafka(),
            settings.partitions(),
            settings.replicationFactor());
    Consumers consumers = new Consumers(settings);
    WorkerStreams streams = new WorkerStreams(WorkerStreams.Liveness.of(settings), counters);
    this.view =
        new ViewReader(
            topic,
            consumers,
            new MemoryApplier(index, registry, barriers, streams, counters),
            new RecordDecoder("The view in memory", counters, System::nanoTime),
            positions,
            catchUps,
            new Expiry(log, counters),
            owned,
            (description, into) -> Map.of(),
            counters,
            System::nanoTime);
    GroupMember member =
        new GroupMember(
            topic,
            consumers,
            owned,
            new PartitionWork.None(),
            log,
            settings.heartbeatInterval(),
            System::nanoTime);
    this.viewThread = new ReaderThread("kvmesh-view", view::run, counters);
    this.memberThread = new ReaderThread("kvmesh-durable", member::run, counters);
  }

  /** Starts the threads; returns at once. Neither Kafka nor Redis need be up. */
  public void start() {
    viewThread.start();
    memberThread.start();
  }

  /** Whether the view in memory has reached the end of the log: before, a miss means nothing. */
  public boolean ready() {
    return view.isReady();
  }

  /**
   * Waits until the view in memory has applied the worker's operation of that number (0 = its
   * beginning). Never fails; the outcome tells.
   */
  public CompletableFuture<Applied> awaitApplied(
      WorkerId worker, long epoch, long sequence, Duration timeout) {
    return barriers.await(worker, epoch, sequence, timeout);
  }

  /**
   * Waits until the view in memory has applied all that the log had at the moment of the call.
   *
   * @return whether it has, within the time given
   */
  public CompletableFuture<Boolean> awaitCaughtUp(Duration timeout) {
    return catchUps.await(timeout);
  }

  /** Whether a view that this controller writes needs a snapshot of the worker. */
  public boolean snapshotWanted(WorkerId worker) {
    return view.isReady() && registry.worker(worker).map(WorkerView::suspect).orElse(false);
  }

  /** State of the readers, for health and metrics. */
  public IngestStatus status() {
    return new IngestStatus(
        view.isReady(),
        view.isLogReachable(),
        IngestStatus.Durable.OFF,
        positions.lags(owned),
        List.of());
  }

  /** What the view in memory has counted. */
  public IngestCounts counts() {
    return counters.counts();
  }

  /** What the writer of the durable view has counted. */
  public IngestCounts durableCounts() {
    return new IngestCounters().counts();
  }

  /** Stops the threads, at most as long as given; waiting barriers are refused. */
  public void close(Duration timeout) {
    viewThread.close();
    memberThread.close();
    barriers.close();
    catchUps.close();
    memberThread.join(timeout.dividedBy(2));
    viewThread.join(timeout.dividedBy(2));
  }

  @Override
  public void close() {
    close(Duration.ofSeconds(10));
  }
}
