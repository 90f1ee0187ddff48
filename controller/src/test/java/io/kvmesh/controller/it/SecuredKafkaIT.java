package io.kvmesh.controller.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.wire.directory.RegisterMsg;
import io.kvmesh.embedded.SecuredKafka;
import java.nio.file.Path;
import java.util.List;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A controller at a Kafka that wants TLS, a password, and lets it do the least that it needs. */
@Timeout(180)
class SecuredKafkaIT {

  private static final String USER = "kvmesh-controller";

  @Test
  void controller_withTheRightsThatTheReadmeNames_isReadyAndCreatesItsTopic(@TempDir Path dir)
      throws Exception {
    try (SecuredKafka kafka = SecuredKafka.start(dir, List.of(USER))) {
      kafka.allow(
          USER,
          ResourceType.TOPIC,
          "kvmesh",
          AclOperation.CREATE,
          AclOperation.DESCRIBE,
          AclOperation.DESCRIBE_CONFIGS,
          AclOperation.READ,
          AclOperation.WRITE);
      kafka.allow(USER, ResourceType.GROUP, "kvmesh", AclOperation.READ);
      try (RunningController controller =
          RunningController.start(
              "--kvmesh.kafka.bootstrap-servers=" + kafka.bootstrapServers(),
              "--kvmesh.kafka.properties-file=" + kafka.clientProperties(USER))) {
        await()
            .atMost(RunningController.WAIT)
            .untilAsserted(() -> assertThat(controller.isReady()).isTrue());

        controller.ask(new RegisterMsg("legacy", 0, "127.0.0.1", 9, null));

        await()
            .atMost(RunningController.WAIT)
            .untilAsserted(() -> assertThat(controller.text("/api/v1/workers")).contains("legacy"));
      }
    }
  }

  @Test
  void controller_withoutRights_isNotReadyAndSaysWhatKafkaSays(@TempDir Path dir) throws Exception {
    try (SecuredKafka kafka = SecuredKafka.start(dir, List.of(USER));
        RunningController controller =
            RunningController.start(
                "--kvmesh.kafka.bootstrap-servers=" + kafka.bootstrapServers(),
                "--kvmesh.kafka.properties-file=" + kafka.clientProperties(USER),
                "--management.endpoint.health.show-details=always")) {
      await()
          .atMost(RunningController.WAIT)
          .untilAsserted(
              () ->
                  assertThat(controller.text("/actuator/health")).containsIgnoringCase("authoriz"));
      assertThat(controller.isReady()).isFalse();
    }
  }
}
