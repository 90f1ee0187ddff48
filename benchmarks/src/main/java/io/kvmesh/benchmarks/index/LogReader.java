package io.kvmesh.benchmarks.index;

import io.kvmesh.controller.index.MemoryIndex;
import io.kvmesh.controller.index.redis.RedisIndex;
import io.kvmesh.controller.ingest.IngestSettings;
import io.kvmesh.controller.ingest.LogIngest;
import io.kvmesh.controller.ingest.PartitionLag;
import io.kvmesh.controller.log.KafkaEventLogWriter;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.trail.Trail;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** What of a controller reads the log into both views. */
final class LogReader implements AutoCloseable {

  static final String CLUSTER = "restart";
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final long PAUSE_NANOS = 1_000_000;
  private static final int PARTITIONS = 8;

  final MemoryIndex index = new MemoryIndex();
  final RedisIndex durable;
  final KafkaEventLogWriter log;
  private final LogIngest ingest;

  LogReader(String bootstrapServers, String redisUri) {
    Map<String, Object> kafka = Map.of("bootstrap.servers", bootstrapServers);
    this.durable = RedisIndex.of(CLUSTER, redisUri, Duration.ofSeconds(5));
    this.log = new KafkaEventLogWriter(CLUSTER, kafka);
    // No worker beats here: none is written off for it.
    IngestSettings settings =
        new IngestSettings(
            CLUSTER,
            kafka,
            PARTITIONS,
            1,
            Duration.ofSeconds(5),
            Duration.ofHours(1),
            Duration.ofHours(2),
            Duration.ofMinutes(1),
            1);
    this.ingest =
        new LogIngest(
            settings,
            index,
            new WorkerRegistry(),
            log,
            durable,
            delay -> {},
            new Trail(InstantSource.system()),
            (worker, announcement) -> CompletableFuture.completedFuture(true));
  }

  /** Starts, and waits until lookups could be answered. */
  void startAndAwaitReady() throws TimeoutException {
    ingest.start();
    await(ingest::ready);
  }

  /** Waits until both views have applied all that the log has. */
  void awaitNoLag() throws TimeoutException {
    await(
        () ->
            ingest.status().durableLags().size() == PARTITIONS
                && ingest.status().durableLags().stream().allMatch(lag -> lag.records() == 0)
                && ingest.status().lags().stream().mapToLong(PartitionLag::records).sum() == 0);
  }

  static void await(BooleanSupplier condition) throws TimeoutException {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new TimeoutException("Not within " + LIMIT);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  @Override
  public void close() {
    ingest.close();
    log.close();
    durable.close();
  }
}
