package io.kvmesh.controller.ingest;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.index.MemoryIndex;
import io.kvmesh.controller.index.redis.RedisIndex;
import io.kvmesh.controller.log.EventLogWriter;
import io.kvmesh.controller.registry.WorkerRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reads the log into the views. One thread applies every partition to the view in memory, another
 * is this controller's member of the group that writes the durable view and writes off workers that
 * have gone silent. All methods may be called from any thread.
 */
public final class LogIngest implements AutoCloseable {

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
      @Nullable RedisIndex durable) {}

  /** Starts the threads; returns at once. Neither Kafka nor Redis need be up. */
  public void start() {}

  /** Whether the view in memory has reached the end of the log: before, a miss means nothing. */
  public boolean ready() {
    return false;
  }

  /**
   * Waits until the view in memory has applied the worker's operation of that number (0 = its
   * beginning). Never fails; the outcome tells.
   */
  public CompletableFuture<Applied> awaitApplied(
      WorkerId worker, long epoch, long sequence, Duration timeout) {
    return CompletableFuture.completedFuture(new Applied(Applied.Outcome.REFUSED, -1, -1));
  }

  /**
   * Waits until the view in memory has applied all that the log had at the moment of the call.
   *
   * @return whether it has, within the time given
   */
  public CompletableFuture<Boolean> awaitCaughtUp(Duration timeout) {
    return CompletableFuture.completedFuture(false);
  }

  /** Whether a view that this controller writes needs a snapshot of the worker. */
  public boolean snapshotWanted(WorkerId worker) {
    return false;
  }

  /** State of the readers, for health and metrics. */
  public IngestStatus status() {
    return new IngestStatus(false, false, IngestStatus.Durable.OFF, List.of(), List.of());
  }

  /** What the view in memory has counted. */
  public IngestCounts counts() {
    return new IngestCounts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  }

  /** What the writer of the durable view has counted. */
  public IngestCounts durableCounts() {
    return counts();
  }

  /** Stops the threads, at most as long as given; waiting barriers are refused. */
  public void close(Duration timeout) {}

  @Override
  public void close() {
    close(Duration.ofSeconds(10));
  }
}
