package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.kvmesh.common.wire.event.EventTopic;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.controller.ingest.Applied.Outcome;
import io.kvmesh.controller.log.TopicMisfit;
import io.kvmesh.controller.registry.WorkerState;
import io.kvmesh.controller.registry.WorkerView;
import io.kvmesh.controller.registry.WrittenOff;
import io.kvmesh.embedded.EmbeddedKafka;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The view in memory on a real Kafka. */
final class KafkaIngestIT {

  private static final Duration WAIT = Duration.ofSeconds(20);
  private static EmbeddedKafka kafka;

  @BeforeAll
  static void startKafka(@TempDir Path dir) throws Exception {
    kafka = EmbeddedKafka.start(dir, 0);
  }

  @AfterAll
  static void stopKafka() {
    kafka.close();
  }

  @Test
  void eventsOfAnAgent_reachTheView() throws Exception {
    try (TestController controller = TestController.start(kafka, "end-to-end")) {
      TestAgent agent = new TestAgent("a");
      controller.start(agent);
      controller.write(agent.admit(1, 2, 3), agent.evict(2), agent.heartbeat());

      Applied applied = controller.applied(agent);

      assertThat(applied).isEqualTo(new Applied(Outcome.APPLIED, agent.epoch(), 4));
      assertThat(controller.held(agent)).containsExactlyInAnyOrder(1L, 3L);
      WorkerView view = controller.worker(agent);
      assertThat(view.state()).isEqualTo(WorkerState.LIVE);
      assertThat(view.announcement()).isEqualTo(TestAgent.announcement());
      assertThat(controller.ingest.snapshotWanted(agent.id())).isFalse();
    }
  }

  @Test
  void aControllerThatStartsLater_holdsTheSame() throws Exception {
    TestAgent agent = new TestAgent("a");
    try (TestController first = TestController.start(kafka, "later")) {
      first.start(agent);
      first.write(agent.admit(LongStream.range(0, 400).toArray()), agent.evict(7));
      first.applied(agent);
    }
    try (TestController second = TestController.start(kafka, "later")) {
      second.awaitReady();

      assertThat(second.held(agent)).isEqualTo(agent.resident());
      assertThat(second.worker(agent).state()).isEqualTo(WorkerState.LIVE);
    }
  }

  @Test
  void barrier_answersAtOnceInTimeOrLater() throws Exception {
    try (TestController controller = TestController.start(kafka, "barrier")) {
      TestAgent agent = new TestAgent("a");
      controller.start(agent);
      controller.awaitReady();
      Duration brief = Duration.ofMillis(50);

      assertThat(controller.barrier(agent, agent.epoch(), 0, WAIT).outcome())
          .isEqualTo(Outcome.APPLIED);
      assertThat(controller.barrier(agent, agent.epoch(), 1, brief))
          .isEqualTo(new Applied(Outcome.TIMED_OUT, agent.epoch(), -1));
      assertThat(controller.barrier(agent, agent.epoch() - 1, 1, WAIT).outcome())
          .isEqualTo(Outcome.SUPERSEDED);
      assertThat(controller.barrier(new TestAgent("nobody"), 0, 0, brief))
          .isEqualTo(new Applied(Outcome.TIMED_OUT, -1, -1));

      var waiting = controller.ingest.awaitApplied(agent.id(), agent.epoch(), 2, WAIT);
      controller.write(agent.admit(1, 2));
      assertThat(waiting.get(20, TimeUnit.SECONDS).outcome()).isEqualTo(Outcome.APPLIED);
      assertThat(controller.ingest.awaitCaughtUp(WAIT).get(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void recordsThatCantBeDecoded_arePassedOver() throws Exception {
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    ((Logger) LoggerFactory.getLogger("io.kvmesh")).addAppender(lines);
    try (TestController controller = TestController.start(kafka, "poison")) {
      TestAgent agent = new TestAgent("a");
      controller.start(agent);
      poison("poison");
      for (int i = 0; i < 100; i++) {
        controller.write(agent.admit(LongStream.range(10L * i, 10L * i + 10).toArray()));
      }

      assertThat(controller.applied(agent).outcome()).isEqualTo(Outcome.APPLIED);
      await()
          .atMost(WAIT)
          .untilAsserted(
              () ->
                  assertThat(controller.ingest.counts().garbage())
                      .isEqualTo(2L * EventTopic.DEFAULT_PARTITIONS));
      assertThat(controller.held(agent)).hasSize(1_000);
      assertThat(controller.worker(agent).state()).isEqualTo(WorkerState.LIVE);
      assertThat(controller.ingest.rejected(RejectedRecord.Kind.EMPTY))
          .isEqualTo(EventTopic.DEFAULT_PARTITIONS);
      assertThat(controller.ingest.rejected()).hasSize(2 * EventTopic.DEFAULT_PARTITIONS);
      assertThat(lines.list).hasSizeLessThan(100);
    } finally {
      ((Logger) LoggerFactory.getLogger("io.kvmesh")).detachAppender(lines);
    }
  }

  @Test
  void topicThatDoesNotFit_isUsedAndExplained() throws Exception {
    try (Admin admin = Admin.create(TestController.properties(kafka))) {
      admin
          .createTopics(
              List.of(
                  new NewTopic(EventTopic.name("misfit"), 3, (short) 1)
                      .configs(
                          Map.of(
                              "cleanup.policy",
                              "compact",
                              "retention.ms",
                              "60000",
                              "message.timestamp.type",
                              "CreateTime"))))
          .all()
          .get(20, TimeUnit.SECONDS);
    }
    try (TestController controller = TestController.start(kafka, "misfit")) {
      TestAgent agent = new TestAgent("a");
      controller.start(agent);
      controller.write(agent.admit(1));
      assertThat(controller.applied(agent).outcome()).isEqualTo(Outcome.APPLIED);

      assertThat(controller.ingest.misfits())
          .extracting(TopicMisfit::setting)
          .containsExactlyInAnyOrder(
              "partitions", "cleanup.policy", "retention.ms", "message.timestamp.type");
    }
    try (TestController fitting = TestController.start(kafka, "fitting");
        Admin admin = Admin.create(TestController.properties(kafka))) {
      fitting.awaitReady();
      assertThat(fitting.ingest.misfits()).isEmpty();
      ConfigResource topic =
          new ConfigResource(ConfigResource.Type.TOPIC, EventTopic.name("fitting"));
      Config config = admin.describeConfigs(List.of(topic)).all().get().get(topic);
      assertThat(config).isNotNull();
      EventTopic.CONFIG.forEach(
          (name, value) -> assertThat(config.get(name).value()).as(name).isEqualTo(value));
    }
    try (TestController again = TestController.start(kafka, "fitting")) {
      again.awaitReady();
      assertThat(again.ingest.misfits()).isEmpty();
    }
  }

  @Test
  void ticks_tellHowLongARecordTakesToBeVisible() throws Exception {
    try (TestController controller = TestController.start(kafka, "visible", 200)) {
      await().atMost(WAIT).until(() -> controller.visible.size() > 20);

      assertThat(controller.visible).allMatch(took -> took.compareTo(WAIT) < 0);
      assertThat(controller.ingest.status().lags())
          .allSatisfy(lag -> assertThat(lag.logMillis()).isNotNull());
      assertThat(controller.ingest.status().lags())
          .anySatisfy(lag -> assertThat(lag.visibleMillis()).isNotNull());
    }
  }

  private static void poison(String cluster) {
    byte[] random = new byte[40];
    new Random(5).nextBytes(random);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            TestController.properties(kafka),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      for (int partition = 0; partition < EventTopic.DEFAULT_PARTITIONS; partition++) {
        for (byte[] value : new byte[][] {random, null}) {
          var _ =
              producer.send(new ProducerRecord<>(EventTopic.name(cluster), partition, null, value));
        }
      }
    }
  }

  @Test
  void silentWorker_isHiddenThenWrittenOff_andComesBackSuspect() throws Exception {
    try (TestController controller = TestController.start(kafka, "silence", 150)) {
      TestAgent agent = new TestAgent("a");
      controller.start(agent);
      controller.write(agent.admit(1, 2), agent.heartbeat());

      await().atMost(WAIT).until(() -> controller.state(agent) == WorkerState.SILENT);
      assertThat(controller.held(agent)).isNotEmpty();
      await().atMost(WAIT).until(() -> controller.registry.worker(agent.id()).isEmpty());
      assertThat(controller.held(agent)).isEmpty();
      await().atMost(WAIT).until(() -> controller.ingest.counts().expired() == 1);
      assertThat(controller.registry.writtenOff())
          .extracting(WrittenOff::id)
          .containsExactly(agent.id());

      controller.write(agent.heartbeat());
      await().atMost(WAIT).until(() -> controller.ingest.snapshotWanted(agent.id()));
      assertThat(controller.registry.writtenOff()).isEmpty();
      assertThat(controller.worker(agent).state()).isEqualTo(WorkerState.SUSPECT);

      controller.write(agent.snapshot().toArray(LogEvent[]::new));
      controller.applied(agent);
      await().atMost(WAIT).until(() -> controller.worker(agent).snapshots() == 1);
      assertThat(controller.held(agent)).isEqualTo(agent.resident());
      assertThat(controller.ingest.snapshotWanted(agent.id())).isFalse();
    }
  }

  @Test
  void partitionsAreSharedBetweenControllers_andAllAreOwnedAfterOneHasGone() throws Exception {
    try (TestController first = TestController.start(kafka, "shared")) {
      await().atMost(WAIT).until(() -> first.owned() == EventTopic.DEFAULT_PARTITIONS);
      try (TestController second = TestController.start(kafka, "shared")) {
        await()
            .atMost(WAIT)
            .until(
                () ->
                    second.owned() > 0
                        && first.owned() + second.owned() == EventTopic.DEFAULT_PARTITIONS);
      }
      await().atMost(WAIT).until(() -> first.owned() == EventTopic.DEFAULT_PARTITIONS);
    }
  }

  @Test
  void topicDeletedAndCreatedAgain_emptiesTheView() throws Exception {
    try (TestController controller = TestController.start(kafka, "another")) {
      TestAgent agent = new TestAgent("a");
      controller.start(agent);
      controller.write(agent.admit(1, 2, 3));
      controller.applied(agent);

      try (Admin admin = Admin.create(TestController.properties(kafka))) {
        admin.deleteTopics(List.of(EventTopic.name("another"))).all().get(20, TimeUnit.SECONDS);
      }

      await().atMost(WAIT).until(() -> controller.registry.worker(agent.id()).isEmpty());
      assertThat(controller.held(agent)).isEmpty();
    }
  }

  @Test
  void kafkaAwayAndBack_theViewStaysAndGoesOn() throws Exception {
    try (TestController controller = TestController.start(kafka, "outage", 300)) {
      TestAgent agent = new TestAgent("a");
      controller.start(agent);
      controller.write(agent.admit(1));
      controller.applied(agent);
      controller.awaitReady();

      kafka.stop();
      await().atMost(WAIT).until(() -> !controller.ingest.status().logReachable());
      assertThat(controller.ingest.ready()).isTrue();
      assertThat(controller.held(agent)).containsExactly(1L);
      kafka.restart();

      await().atMost(WAIT).until(() -> controller.ingest.status().logReachable());
      controller.writeUntilTaken(agent.admit(2));
      assertThat(controller.applied(agent).outcome()).isEqualTo(Outcome.APPLIED);
      assertThat(controller.held(agent)).containsExactlyInAnyOrder(1L, 2L);
    }
  }

  @Test
  void kafkaNotThereAtTheStart_theViewIsNotReadyUntilItIs() throws Exception {
    kafka.stop();
    try (TestController controller = TestController.start(kafka, "late")) {
      await().atMost(WAIT).until(() -> controller.ingest.counts().failures() > 0);
      assertThat(controller.ingest.ready()).isFalse();
      kafka.restart();
      controller.awaitReady();
    }
  }
}
