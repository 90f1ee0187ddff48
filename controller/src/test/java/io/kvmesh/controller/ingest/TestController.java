package io.kvmesh.controller.ingest;

import static org.awaitility.Awaitility.await;

import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.controller.index.MemoryIndex;
import io.kvmesh.controller.index.redis.RedisIndex;
import io.kvmesh.controller.log.KafkaEventLogWriter;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerState;
import io.kvmesh.controller.registry.WorkerView;
import io.kvmesh.controller.trail.Trail;
import io.kvmesh.embedded.EmbeddedKafka;
import io.kvmesh.embedded.EmbeddedRedis;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The reading side of a controller, on a real Kafka, and a writer that stands for agents. */
final class TestController implements AutoCloseable {

  private static final Duration WAIT = Duration.ofSeconds(30);
  private static final int DEFAULT_INTERVAL_MILLIS = 5_000;

  final MemoryIndex index = new MemoryIndex();
  final WorkerRegistry registry = new WorkerRegistry();
  final KafkaEventLogWriter writer;
  private final @Nullable RedisIndex durable;
  final LogIngest ingest;

  final Trail trail = new Trail(InstantSource.system());

  /** How long ticks took to become visible. */
  final List<Duration> visible = new CopyOnWriteArrayList<>();

  private TestController(
      Map<String, Object> kafka, String cluster, int intervalMillis, @Nullable RedisIndex durable) {
    this.writer = new KafkaEventLogWriter(cluster, kafka);
    this.durable = durable;
    this.ingest =
        new LogIngest(
            new IngestSettings(
                cluster,
                kafka,
                8,
                -1,
                Duration.ofMillis(intervalMillis),
                Duration.ofMillis(3L * intervalMillis),
                Duration.ofMillis(12L * intervalMillis),
                Duration.ofMillis(60L * intervalMillis),
                100),
            index,
            registry,
            writer,
            durable,
            visible::add,
            trail,
            (worker, announcement) -> CompletableFuture.completedFuture(true));
    ingest.start();
  }

  static TestController start(EmbeddedKafka kafka, String cluster) {
    return start(kafka, cluster, DEFAULT_INTERVAL_MILLIS);
  }

  /** With a heartbeat interval; silent after three of them, written off after twelve. */
  static TestController start(EmbeddedKafka kafka, String cluster, int intervalMillis) {
    return new TestController(properties(kafka), cluster, intervalMillis, null);
  }

  static TestController start(EmbeddedKafka kafka, EmbeddedRedis redis, String cluster) {
    return start(kafka, redis.uri(), cluster);
  }

  static TestController start(EmbeddedKafka kafka, String redisUri, String cluster) {
    return new TestController(
        properties(kafka),
        cluster,
        DEFAULT_INTERVAL_MILLIS,
        RedisIndex.of(cluster, redisUri, Duration.ofSeconds(2)));
  }

  static Map<String, Object> properties(EmbeddedKafka kafka) {
    return Map.of("bootstrap.servers", kafka.bootstrapServers());
  }

  /**
   * The agent starts a life, as often as it takes: a topic that was just made may keep it waiting.
   */
  void start(TestAgent agent) {
    LogEvent up = agent.up();
    agent.acknowledged(
        await()
            .atMost(WAIT)
            .ignoreExceptions()
            .until(() -> writer.append(up).get(), offset -> offset >= 0));
  }

  /** Writes the events, in order, and waits until the log has them. */
  void write(LogEvent... events) throws Exception {
    CompletableFuture<?>[] written = new CompletableFuture<?>[events.length];
    for (int i = 0; i < events.length; i++) {
      written[i] = writer.append(events[i]);
    }
    CompletableFuture.allOf(written).get(30, TimeUnit.SECONDS);
  }

  /** Writes the event as often as it takes. */
  void writeUntilTaken(LogEvent event) {
    await().atMost(WAIT).ignoreExceptions().until(() -> writer.append(event).get() >= 0);
  }

  /** Waits until the view has applied the agent's last operation. */
  Applied applied(TestAgent agent) throws Exception {
    return barrier(agent, agent.epoch(), agent.sequence(), WAIT);
  }

  Applied barrier(TestAgent agent, long epoch, long sequence, Duration timeout) throws Exception {
    return ingest.awaitApplied(agent.id(), epoch, sequence, timeout).get(60, TimeUnit.SECONDS);
  }

  void awaitReady() {
    await().atMost(WAIT).until(ingest::ready);
  }

  WorkerView worker(TestAgent agent) {
    return registry.worker(agent.id()).orElseThrow();
  }

  /** The agent's state; null while it isn't known. */
  @Nullable WorkerState state(TestAgent agent) {
    return registry.worker(agent.id()).map(WorkerView::state).orElse(null);
  }

  /** What the view says the agent holds, of the chunks below 1,000. */
  Set<Long> held(TestAgent agent) {
    Set<Long> held = new HashSet<>();
    for (long hash = 0; hash < 1_000; hash++) {
      if (index.prefix(agent.id(), TestAgent.LOCATION, TestAgent.KEYSPACE, new long[] {hash}) > 0) {
        held.add(hash);
      }
    }
    return held;
  }

  /** The durable view, which must be there. */
  RedisIndex durable() {
    return Objects.requireNonNull(durable);
  }

  /** Number of partitions that it is the owner of. */
  long owned() {
    return ingest.status().lags().stream().filter(PartitionLag::owned).count();
  }

  @Override
  public void close() {
    ingest.close();
    writer.close();
    if (durable != null) {
      durable.close();
    }
  }
}
