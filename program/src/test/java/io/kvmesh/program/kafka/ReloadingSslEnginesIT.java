package io.kvmesh.program.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.embedded.SecuredKafka;
import io.kvmesh.embedded.SelfSigned;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients whose certificates are renewed while they run. */
@Timeout(120)
class ReloadingSslEnginesIT {

  private static final String USER = "admin";
  private static final Duration SOON = Duration.ofSeconds(60);

  @TempDir private Path dir;

  private Path folder(String name) throws Exception {
    return Files.createDirectory(dir.resolve(name));
  }

  @Test
  void brokerComesBackWithAnotherCertificate_theClientThatHasItGoesOn() throws Exception {
    SecuredKafka before = SecuredKafka.start(folder("before"), List.of());
    ClientProperties properties = ClientProperties.read(before.clientProperties(USER).toString());
    int port = Integer.parseInt(before.bootstrapServers().split(":", -1)[1]);
    try (Admin client = Admin.create(properties.with(before.bootstrapServers()))) {
      assertThat(nodes(client)).isOne();
      Path trusted = before.certificate();
      before.close();

      try (SecuredKafka after = SecuredKafka.start(folder("after"), port, List.of())) {
        Files.copy(after.certificate(), trusted, StandardCopyOption.REPLACE_EXISTING);

        await()
            .atMost(SOON)
            .ignoreExceptions()
            .untilAsserted(() -> assertThat(nodes(client)).isOne());
      }
    }
  }

  private static String pem(String content) {
    return "-----BEGIN CERTIFICATE-----\n" + content + "\n-----END CERTIFICATE-----\n";
  }

  private static int nodes(Admin client) throws Exception {
    return client.describeCluster().nodes().get(10, TimeUnit.SECONDS).size();
  }

  @Test
  void fileThatCantBeReadNow_leavesWhatItHeld_untilItCanBeAgain() throws Exception {
    SelfSigned first = SelfSigned.create(folder("first"), "first", 0, 10);
    try (ReloadingSslEngines engines = new ReloadingSslEngines()) {
      Map<String, Object> given =
          Map.of(
              "bootstrap.servers", "127.0.0.1:9",
              "ssl.truststore.type", "PEM",
              "ssl.truststore.location", first.certificate().toString());
      engines.configure(new AdminClientConfig(given).values());
      KeyStore held = engines.truststore();

      for (String broken : List.of("half a file", "", pem("!!!"), pem("AAAA"), pem("AAAAA"))) {
        Files.writeString(first.certificate(), broken);
        assertThat(engines.truststore()).as(broken).isSameAs(held);
        assertThat(engines.createClientSslEngine("127.0.0.1", 1, "")).isNotNull();
      }

      SelfSigned second = SelfSigned.create(folder("second"), "second", 0, 10);
      Files.copy(second.certificate(), first.certificate(), StandardCopyOption.REPLACE_EXISTING);
      assertThat(engines.truststore()).isNotSameAs(held);
    }
  }
}
