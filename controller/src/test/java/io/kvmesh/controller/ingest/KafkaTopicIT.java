package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.wire.event.EventTopic;
import io.kvmesh.controller.log.TopicMisfit;
import io.kvmesh.embedded.EmbeddedKafka;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.TopicExistsException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is done to the log's topic while controllers read it. */
final class KafkaTopicIT {

  private static final Duration WAIT = Duration.ofSeconds(40);

  /** Heartbeats as far apart as this: the topic is looked at every other one. */
  private static final int INTERVAL_MILLIS = 500;

  private static EmbeddedKafka kafka;
  private static Admin admin;

  @BeforeAll
  static void start(@TempDir Path dir) throws Exception {
    kafka = EmbeddedKafka.start(dir, 0);
    admin = Admin.create(TestController.properties(kafka));
  }

  @AfterAll
  static void stop() {
    admin.close();
    kafka.close();
  }

  @Test
  void topicReplacedByALongerOne_isReadFromItsStart_andNothingOfTheFormerStays() throws Exception {
    try (TestController controller = TestController.start(kafka, "longer", INTERVAL_MILLIS)) {
      TestAgent agent = new TestAgent("a");
      controller.start(agent);
      controller.write(agent.admit(1, 2, 3));
      controller.applied(agent);

      replace("longer");
      TestAgent again = new TestAgent("a");
      controller.start(again);
      for (long chunk = 100; chunk < 200; chunk++) {
        controller.writeUntilTaken(again.admit(chunk));
      }

      await().atMost(WAIT).until(() -> controller.held(again).equals(again.resident()));
      assertThat(controller.worker(again).epoch()).isEqualTo(again.epoch());
      assertThat(controller.ingest.counts().gaps()).isZero();
    }
  }

  private static void replace(String cluster) throws Exception {
    String name = EventTopic.name(cluster);
    admin.deleteTopics(List.of(name)).all().get(20, TimeUnit.SECONDS);
    NewTopic topic = new NewTopic(name, 8, (short) 1).configs(EventTopic.CONFIG);
    create(topic);
  }

  /** The controller may have done it first. */
  private static void create(NewTopic topic) throws Exception {
    try {
      admin.createTopics(List.of(topic)).all().get(20, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw e;
      }
    }
  }

  @Test
  void partitionsAreAdded_itIsSaid_workersThatStayGoOn_thoseThatMoveAreNotLostInSilence()
      throws Exception {
    List<TestAgent> agents = new ArrayList<>();
    try (TestController controller = TestController.start(kafka, "grown", INTERVAL_MILLIS)) {
      for (int i = 0; i < 10; i++) {
        TestAgent agent = new TestAgent("agent-" + i);
        agents.add(agent);
        controller.start(agent);
        controller.write(agent.admit(1));
        controller.applied(agent);
      }

      admin
          .createPartitions(Map.of(EventTopic.name("grown"), NewPartitions.increaseTo(16)))
          .all()
          .get(20, TimeUnit.SECONDS);
      await().atMost(WAIT).until(() -> misfits(controller).contains("partitions"));
      await().atMost(WAIT).until(() -> controller.ingest.status().lags().size() == 16);
      controller.awaitReady();
    }
    try (TestController controller = TestController.start(kafka, "grown", INTERVAL_MILLIS)) {
      controller.awaitReady();
      int heldMore = 0;
      for (TestAgent agent : agents) {
        controller.write(agent.admit(2));
      }
      assertThat(controller.ingest.awaitCaughtUp(WAIT).get(60, TimeUnit.SECONDS)).isTrue();
      for (TestAgent agent : agents) {
        heldMore += controller.held(agent).equals(agent.resident()) ? 1 : 0;
      }
      assertThat(heldMore).isBetween(1, 9);
      assertThat(controller.ingest.rejected(RejectedRecord.Kind.MISPLACED))
          .isEqualTo(10 - heldMore);
    }
  }

  @Test
  void settingsThatAreChangedWhileItIsRead_areNoticed_andNoLongerWhenTheyArePutRight()
      throws Exception {
    try (TestController controller = TestController.start(kafka, "changed", INTERVAL_MILLIS)) {
      controller.awaitReady();
      assertThat(misfits(controller)).isEmpty();

      alter("changed", "compact", "60000");
      await()
          .atMost(WAIT)
          .untilAsserted(
              () ->
                  assertThat(misfits(controller))
                      .containsExactlyInAnyOrder("cleanup.policy", "retention.ms"));

      alter("changed", "delete", "86400000");
      await().atMost(WAIT).until(() -> misfits(controller).isEmpty());
    }
  }

  private static void alter(String cluster, String policy, String retention) throws Exception {
    ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, EventTopic.name(cluster));
    List<AlterConfigOp> changes =
        List.of(
            new AlterConfigOp(new ConfigEntry("cleanup.policy", policy), AlterConfigOp.OpType.SET),
            new AlterConfigOp(
                new ConfigEntry("retention.ms", retention), AlterConfigOp.OpType.SET));
    admin.incrementalAlterConfigs(Map.of(topic, changes)).all().get(20, TimeUnit.SECONDS);
  }

  private static List<String> misfits(TestController controller) {
    return controller.ingest.misfits().stream().map(TopicMisfit::setting).toList();
  }
}
