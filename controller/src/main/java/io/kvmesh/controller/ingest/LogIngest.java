package io.kvmesh.controller.ingest;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.EventTopic;
import io.kvmesh.controller.index.LocalView;
import io.kvmesh.controller.index.redis.RedisCare;
import io.kvmesh.controller.index.redis.RedisIndex;
import io.kvmesh.controller.log.EventLogTopic;
import io.kvmesh.controller.log.EventLogWriter;
import io.kvmesh.controller.log.TopicMisfit;
import io.kvmesh.controller.registry.WorkerProbe;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerView;
import io.kvmesh.controller.trail.Trail;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Reads the log into the views. One thread applies every partition to the view in memory, another
 * is this controller's member of the group that writes the durable view and writes off workers that
 * have gone silent. All methods may be called from any thread.
 */
public final class LogIngest implements AutoCloseable {

  private final LocalView index;
  private final WorkerRegistry registry;
  private final OwnedPartitions owned = new OwnedPartitions();
  private final ReadPositions positions = new ReadPositions(System::nanoTime);
  private final IngestCounters counters = new IngestCounters();
  private final AppliedBarriers barriers;
  private final CatchUps catchUps;
  private final TickDelays delays;
  private final EventLogTopic topic;
  private final RejectedRecords rejected;
  private final ReadPositions durablePositions = new ReadPositions(System::nanoTime);
  private final IngestCounters durableCounters = new IngestCounters();
  private final ViewReader view;
  private final @Nullable DurableWriter writer;
  private final @Nullable DurableProgress served;
  private final ReaderThread viewThread;
  private final ReaderThread memberThread;
  private final ReaderThread topicThread;

  /**
   * Assigns only; see {@link #start}.
   *
   * @param index where it keeps no chunks, the durable view answers lookups
   * @param durable the durable view, or null if there is none
   * @param visible told how long a record took from being given to the log until the view in memory
   *     had it, about once each heartbeat interval and partition; must not block
   * @param trail told what was read
   * @param probe asks workers that send no heartbeats before they are written off
   */
  public LogIngest(
      IngestSettings settings,
      LocalView index,
      WorkerRegistry registry,
      EventLogWriter log,
      @Nullable RedisIndex durable,
      Consumer<Duration> visible,
      Trail trail,
      WorkerProbe probe) {
    this.index = index;
    this.registry = registry;
    this.barriers = new AppliedBarriers(registry, settings.maxWaiters());
    this.catchUps = new CatchUps(settings.maxWaiters());
    this.delays = new TickDelays(positions, visible, System::nanoTime);
    this.topic =
        new EventLogTopic(
            settings.cluster(),
            settings.kafka(),
            settings.partitions(),
            settings.replicationFactor());
    Consumers consumers = new Consumers(settings);
    this.writer = durable == null ? null : writer(settings, durable, log, probe);
    TrailWriter seen = new TrailWriter(trail);
    RecordDecoder decoder =
        new RecordDecoder("The view in memory", counters, System::nanoTime, seen::rejected);
    this.rejected = decoder.rejected();
    this.view =
        new ViewReader(
            topic,
            consumers,
            new MemoryApplier(
                index, registry, barriers, streams(settings, counters), counters, seen),
            decoder,
            new ViewProgress(positions, catchUps, delays),
            new Expiry(log, probe, counters),
            this::expiredHere,
            durable == null ? (found, into) -> Map.of() : start(durable),
            counters,
            System::nanoTime);
    this.served =
        index.keepsChunks() || durable == null
            ? null
            : new DurableProgress(durable, view::goal, settings.maxWaiters(), System::nanoTime);
    GroupMember member =
        new GroupMember(
            topic,
            consumers,
            owned,
            view::topic,
            writer == null ? new PartitionWork.None() : writer,
            log,
            delays,
            settings.heartbeatInterval(),
            System::nanoTime);
    this.viewThread = new ReaderThread("kvmesh-view", view::run, counters);
    this.memberThread = new ReaderThread("kvmesh-durable", member::run, durableCounters);
    TopicWatch watch = new TopicWatch(topic, settings.heartbeatInterval().multipliedBy(2));
    this.topicThread = new ReaderThread("kvmesh-topic", watch::run, counters);
  }

  private DurableWriter writer(
      IngestSettings settings, RedisIndex durable, EventLogWriter log, WorkerProbe probe) {
    return new DurableWriter(
        durable,
        streams(settings, durableCounters),
        new RecordDecoder("The durable view", durableCounters, System::nanoTime),
        durablePositions,
        new Expiry(log, probe, durableCounters),
        durableCounters,
        System::nanoTime);
  }

  private static WorkerStreams streams(IngestSettings settings, IngestCounters counters) {
    return new WorkerStreams(WorkerStreams.Liveness.of(settings), counters);
  }

  private static ViewReader.Start start(RedisIndex durable) {
    return new DurableStart(durable, System::nanoTime);
  }

  /**
   * Partitions whose silent workers are written off by what the view in memory knows. While the
   * durable view takes changes, its writer does it: it also knows of workers that only that holds.
   */
  private Set<Integer> expiredHere() {
    return durableState() == IngestStatus.Durable.UP ? Set.of() : owned.all();
  }

  private IngestStatus.Durable durableState() {
    return writer == null ? IngestStatus.Durable.OFF : writer.availability().state();
  }

  /** Starts the threads; returns at once. Neither Kafka nor Redis need be up. */
  public void start() {
    viewThread.start();
    memberThread.start();
    topicThread.start();
    if (served != null) {
      served.start();
    }
  }

  /** Whether the view that serves has reached the end of the log: before, a miss means nothing. */
  public boolean ready() {
    return view.isReady() && (served == null || !served.reachedLife().isEmpty());
  }

  /** The life of the durable view in which it is whole, where it serves lookups; else empty. */
  public String servedLife() {
    return served == null ? "" : served.reachedLife();
  }

  /**
   * Waits until the view that serves lookups has applied the worker's operation of that number (0 =
   * its beginning). Never fails; the outcome tells.
   */
  public CompletableFuture<Applied> awaitApplied(
      WorkerId worker, long epoch, long sequence, Duration timeout) {
    CompletableFuture<Applied> applied = barriers.await(worker, epoch, sequence, timeout);
    DurableProgress durable = served;
    if (durable == null) {
      return applied;
    }
    long deadline = System.nanoTime() + timeout.toNanos();
    return applied.thenCompose(
        here ->
            here.applied()
                ? awaitServed(durable, worker, here, deadline)
                : CompletableFuture.completedFuture(here));
  }

  /** What is read here is applied to the durable view by whoever owns the partition. */
  private CompletableFuture<Applied> awaitServed(
      DurableProgress durable, WorkerId worker, Applied here, long deadline) {
    long offset = registry.worker(worker).map(WorkerView::appliedOffset).orElse(-1L);
    return durable
        .await(worker, offset, Duration.ofNanos(deadline - System.nanoTime()))
        .thenApply(
            applied ->
                applied
                    ? here
                    : new Applied(Applied.Outcome.TIMED_OUT, here.epoch(), here.sequence()));
  }

  /**
   * Waits until the view in memory has applied all that the log had at the moment of the call.
   *
   * @return whether it has, within the time given
   */
  public CompletableFuture<Boolean> awaitCaughtUp(Duration timeout) {
    return catchUps.await(timeout);
  }

  /**
   * Whether a view that this controller writes needs a snapshot of the worker. The view in memory
   * needs none while it has no room for what is missing.
   */
  public boolean snapshotWanted(WorkerId worker) {
    boolean here =
        view.isReady()
            && index.keepsChunks()
            && registry.worker(worker).map(WorkerView::suspect).orElse(false)
            && index.hasRoom();
    return here || (writer != null && writer.isSnapshotWanted(worker));
  }

  /**
   * Whether this controller is the owner of the worker's partition, so that it alone of all
   * controllers acts for the worker. A former owner may believe so for a moment longer.
   */
  public boolean owns(WorkerId worker) {
    EventLogTopic.Description described = view.topic();
    return described != null && owned.contains(partition(worker, described.partitions()));
  }

  /** As Kafka's producer chooses it for a key. */
  private static int partition(WorkerId worker, int partitions) {
    return Utils.toPositive(Utils.murmur2(EventTopic.key(worker))) % partitions;
  }

  /** State of the readers, for health and metrics. */
  public IngestStatus status() {
    boolean reachable = view.isLogReachable();
    return new IngestStatus(
        ready(),
        reachable,
        reachable ? null : viewThread.lastFailure(),
        durableState(),
        writer == null ? null : writer.availability().failure(),
        writer == null ? RedisCare.NO_EVICTION : writer.evictionPolicy(),
        positions.lags(owned, delays),
        durablePositions.lags(owned, delays));
  }

  /** In what the log's topic, as it was last seen, differs from what is needed. */
  public List<TopicMisfit> misfits() {
    return topic.misfits();
  }

  /** The latest records that the view in memory has passed over, the last one first. */
  public List<RejectedRecord> rejected() {
    return rejected.latest();
  }

  /** Number of records of that kind that the view in memory has passed over. */
  public long rejected(RejectedRecord.Kind kind) {
    return rejected.count(kind);
  }

  /** What the view in memory has counted. */
  public IngestCounts counts() {
    return counters.counts();
  }

  /** What the writer of the durable view has counted. */
  public IngestCounts durableCounts() {
    return durableCounters.counts();
  }

  /** Stops the threads, at most as long as given; waiting barriers are refused. */
  public void close(Duration timeout) {
    viewThread.close();
    memberThread.close();
    topicThread.close();
    barriers.close();
    if (served != null) {
      served.close();
    }
    catchUps.close();
    memberThread.join(timeout.dividedBy(2));
    viewThread.join(timeout.dividedBy(2));
    topicThread.join(timeout.dividedBy(2));
  }

  @Override
  public void close() {
    close(Duration.ofSeconds(10));
  }
}
