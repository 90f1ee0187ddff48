package io.kvmesh.agent.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.LogPosition;
import io.kvmesh.agent.cache.PendingChunk;
import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.agent.memory.PageAllocator;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.process.LoopbackPorts;
import io.kvmesh.common.wire.event.Heartbeat;
import io.kvmesh.common.wire.event.SnapshotEnd;
import io.kvmesh.common.wire.event.WorkerDown;
import io.kvmesh.common.wire.event.WorkerUp;
import io.kvmesh.embedded.EmbeddedKafka;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The publisher and a real Kafka. */
class KafkaEventPublisherIT {

  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int PAGE_BYTES = 8;
  private static final int CAPACITY = 4_000;
  private static final int OUTBOX = 1_000;

  @TempDir private Path dir;

  /** One agent's cache and publisher. */
  private static final class Agent implements AutoCloseable {

    final PageArena arena = PageArena.anonymous((long) CAPACITY * PAGE_BYTES);
    final EventOutbox outbox = new EventOutbox(OUTBOX);
    final ChunkCache cache =
        new ChunkCache(
            new PageAllocator(arena, PAGE_BYTES), PolicyName.LRU.create(CAPACITY), outbox);
    final KafkaEventPublisher publisher;

    Agent(String bootstrapServers) {
      PublisherSettings settings =
          new PublisherSettings(
              new WorkerId("A", 3),
              PublisherSettings.LOCAL_CPU,
              Duration.ofMillis(200),
              Duration.ofMillis(500),
              Duration.ofMillis(10),
              Duration.ofMillis(2),
              Duration.ofMillis(100),
              100,
              100,
              16);
      publisher =
          new KafkaEventPublisher(
              new KafkaLogSettings(Map.of("bootstrap.servers", bootstrapServers), "fleet", 4),
              settings,
              PumpFixture.ANNOUNCEMENT,
              () -> null,
              outbox,
              cache);
      publisher.start();
    }

    void put(long from, long to) {
      try (ChunkLease lease = cache.newLease()) {
        for (long hash = from; hash < to; hash++) {
          if (cache.claim(PumpFixture.key(hash), PAGE_BYTES, 1, lease)
              instanceof PendingChunk chunk) {
            cache.commit(chunk, lease);
          }
        }
      }
    }

    @Override
    public void close() {
      publisher.close(Duration.ofSeconds(5));
      arena.close();
    }
  }

  private static void awaitRight(LogReader reader, Agent agent) {
    LogPosition position = agent.cache.position();
    await()
        .atMost(LONG)
        .untilAsserted(
            () -> {
              reader.read();
              assertThat(reader.view.sequence).isEqualTo(position.sequence());
              assertThat(reader.view.chunks).hasSize(position.residentCount());
              assertThat(reader.view.digest()).isEqualTo(position.digest());
              assertThat(reader.view.suspect).isFalse();
            });
  }

  @Test
  void life_isWrittenFromWorkerUpToWorkerDown() throws IOException {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(dir, 0);
        LogReader reader = new LogReader(kafka.bootstrapServers(), "fleet")) {
      Agent agent = new Agent(kafka.bootstrapServers());
      agent.put(0, 500);
      awaitRight(reader, agent);
      assertThat(reader.records.getFirst()).isInstanceOf(WorkerUp.class);
      assertThat(agent.publisher.epoch()).isEqualTo(reader.view.epoch);
      assertThat(reader.view.gaps).isZero();
      agent.publisher.snapshotWanted("test");
      await()
          .atMost(LONG)
          .until(
              () -> {
                reader.read();
                return reader.view.wholeSnapshots == 2
                    && reader.records.stream().filter(Heartbeat.class::isInstance).count() > 2;
              });
      agent.cache.shutdown();
      agent.close();
      await()
          .atMost(LONG)
          .until(
              () -> {
                reader.read();
                return reader.records.getLast() instanceof WorkerDown;
              });
      assertThat(reader.view.chunks).isEmpty();
      PublisherStats stats = agent.publisher.stats();
      assertThat(stats.failedSends() + stats.dropped()).isZero();
      assertThat(stats.sentEvents()).isEqualTo(1_000);
    }
  }

  @Test
  void kafkaStoppedAndBack_theViewIsWholeAgain() throws IOException {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(dir, 0);
        Agent agent = new Agent(kafka.bootstrapServers());
        LogReader reader = new LogReader(kafka.bootstrapServers(), "fleet")) {
      agent.put(0, 500);
      awaitRight(reader, agent);
      kafka.stop();
      long epoch = agent.publisher.epoch();
      for (long from = 500; from < 8_000; from += 100) {
        agent.put(from, from + 100);
      }
      await().atMost(LONG).until(() -> agent.publisher.stats().overflows() > 0);
      kafka.restart();
      awaitRight(reader, agent);
      assertThat(agent.publisher.epoch()).isEqualTo(epoch);
      assertThat(reader.records).filteredOn(WorkerUp.class::isInstance).hasSize(1);
      assertThat(reader.records).filteredOn(SnapshotEnd.class::isInstance).hasSizeGreaterThan(1);
      agent.put(20_000, 20_050);
      awaitRight(reader, agent);
    }
  }

  @Test
  void startedBeforeKafka_writesAsSoonAsItIsThere() throws IOException {
    int port = LoopbackPorts.free();
    try (Agent agent = new Agent("127.0.0.1:" + port)) {
      agent.put(0, 3_000);
      assertThat(agent.publisher.epoch()).isEqualTo(-1);
      assertThat(agent.publisher.stats().dropped()).isEqualTo(2_000);
      try (EmbeddedKafka kafka = EmbeddedKafka.start(dir, port);
          LogReader reader = new LogReader(kafka.bootstrapServers(), "fleet")) {
        awaitRight(reader, agent);
      }
    }
  }

  @Test
  void restart_isALaterLife_andTheFormerOneFallsSilentWhenItLearnsOfIt() throws IOException {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(dir, 0);
        LogReader reader = new LogReader(kafka.bootstrapServers(), "fleet");
        Agent former = new Agent(kafka.bootstrapServers())) {
      former.put(0, 10);
      awaitRight(reader, former);
      try (Agent later = new Agent(kafka.bootstrapServers())) {
        await().atMost(LONG).until(() -> later.publisher.epoch() >= 0);
        assertThat(later.publisher.epoch()).isGreaterThan(former.publisher.epoch());
        former.publisher.laterEpochSeen(later.publisher.epoch());
        assertThat(former.publisher.fenced()).isTrue();
        former.put(10, 20);
        long heartbeats = former.publisher.stats().heartbeats();
        await().atMost(LONG).until(() -> later.publisher.stats().heartbeats() > 5);
        assertThat(former.publisher.stats().heartbeats()).isLessThanOrEqualTo(heartbeats + 1);
        assertThat(later.publisher.fenced()).isFalse();
      }
    }
  }
}
