package io.kvmesh.agent.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.AgentApplication;
import io.kvmesh.agent.ops.AgentEndpoint;
import io.kvmesh.common.wire.event.EventTopic;
import io.kvmesh.embedded.SecuredKafka;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

/** An agent at a Kafka that wants TLS, a password, and lets it do the least that it needs. */
@Timeout(180)
class SecuredKafkaIT {

  private static final String USER = "kvmesh-agent";

  @TempDir private Path dir;

  @Test
  void agent_withTheRightsThatTheReadmeNames_writesToTheTopicThatIsThere() throws Exception {
    try (SecuredKafka kafka = SecuredKafka.start(dir, List.of(USER))) {
      kafka.allow(USER, ResourceType.TOPIC, "kvmesh", AclOperation.DESCRIBE, AclOperation.WRITE);
      try (Admin admin = kafka.admin()) {
        NewTopic topic =
            new NewTopic(EventTopic.name("kvmesh"), Optional.of(2), Optional.empty())
                .configs(EventTopic.CONFIG);
        admin.createTopics(List.of(topic)).all().get();
      }
      try (ConfigurableApplicationContext agent =
          start(kafka.bootstrapServers(), kafka.clientProperties(USER))) {
        AgentEndpoint endpoint = agent.getBean(AgentEndpoint.class);
        await()
            .atMost(Duration.ofSeconds(60))
            .untilAsserted(() -> assertThat(endpoint.state().epoch()).isNotNegative());
      }
    }
  }

  @Test
  void propertiesThatNoClientCanDoWith_areRefusedAtStartWithoutTheirValues() throws Exception {
    Path file =
        Files.writeString(
            dir.resolve("client.properties"),
            """
            security.protocol = SSL
            ssl.truststore.location = /nowhere/secret.p12
            ssl.truststore.password = open sesame
            """);
    assertThatThrownBy(() -> start("127.0.0.1:1", file))
        .hasStackTraceContaining("kafka.properties-file")
        .hasStackTraceContaining(file.toString())
        .hasStackTraceContaining("/nowhere/secret.p12");
  }

  private static ConfigurableApplicationContext start(String servers, Path properties) {
    return AgentApplication.start(
        "--server.port=0",
        "--server.address=127.0.0.1",
        "--kvmesh.instance-id=secured",
        "--kvmesh.advertise-loopback=true",
        "--kvmesh.model.name=m",
        "--kvmesh.model.page-bytes=4096B",
        "--kvmesh.cache.capacity-bytes=1MB",
        "--kvmesh.kafka.bootstrap-servers=" + servers,
        "--kvmesh.kafka.properties-file=" + properties,
        "--kvmesh.peer.init-bind=tcp://127.0.0.1:0",
        "--kvmesh.peer.lookup-bind=tcp://127.0.0.1:0",
        "--kvmesh.control.bind=tcp://127.0.0.1:0",
        "--kvmesh.engine.bind=tcp://127.0.0.1:0");
  }
}
