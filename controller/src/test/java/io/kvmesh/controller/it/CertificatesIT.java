package io.kvmesh.controller.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.embedded.SelfSigned;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Certificates that a controller shows to Kafka, and by which it knows Kafka and Redis. */
@Timeout(120)
class CertificatesIT {

  @TempDir private Path dir;

  private SelfSigned made(String name, int startDay, int days) throws Exception {
    return SelfSigned.create(Files.createDirectory(dir.resolve(name)), name, startDay, days);
  }

  private RunningController start(SelfSigned shown, SelfSigned trusted, Path redis)
      throws Exception {
    Path properties =
        Files.writeString(
            dir.resolve("client.properties"),
            """
            security.protocol=SSL
            ssl.keystore.type=PKCS12
            ssl.keystore.location=%s
            ssl.keystore.password=%s
            ssl.truststore.type=PEM
            ssl.truststore.location=%s
            """
                .formatted(shown.store(), SelfSigned.PASSWORD, trusted.certificate()));
    return RunningController.start(
        "--kvmesh.kafka.bootstrap-servers=127.0.0.1:1",
        "--kvmesh.kafka.properties-file=" + properties,
        "--kvmesh.redis.uri=rediss://127.0.0.1:1",
        "--kvmesh.redis.ca-file=" + redis,
        "--spring.ssl.bundle.watch.file.quiet-period=500ms");
  }

  private static List<Double> daysLeft(RunningController controller, String bundle, String source)
      throws Exception {
    return Pattern.compile(
            "(?m)^ssl_chain_expiry_seconds\\{bundle=\"%s\",.*source=\"%s\".*} (\\S+)$"
                .formatted(bundle, source))
        .matcher(controller.text("/actuator/prometheus"))
        .results()
        .map(it -> Double.parseDouble(it.group(1)) / Duration.ofDays(1).toSeconds())
        .toList();
  }

  private static void assertDays(List<Double> left, double most) {
    assertThat(left).singleElement().satisfies(it -> assertThat(it).isBetween(most - 1, most));
  }

  @Test
  void certificatesOfKafkaAndRedis_areWatched_andSoAreThoseThatReplaceThem() throws Exception {
    Path redis = Files.copy(made("redis", 0, 60).certificate(), dir.resolve("redis-ca.crt"));
    SelfSigned shown = made("shown", -30, 40);
    try (RunningController controller = start(shown, made("trusted", 0, 20), redis)) {
      assertDays(daysLeft(controller, "kvmesh-kafka", "keystore"), 10);
      assertDays(daysLeft(controller, "kvmesh-kafka", "truststore"), 20);
      assertDays(daysLeft(controller, "kvmesh-redis", "truststore"), 60);
      assertThat(controller.text("/actuator/info")).contains("CN=shown", "CN=trusted", "CN=redis");

      Files.move(made("renewed", 0, 80).certificate(), redis, StandardCopyOption.REPLACE_EXISTING);

      await()
          .atMost(RunningController.WAIT)
          .untilAsserted(() -> assertDays(daysLeft(controller, "kvmesh-redis", "truststore"), 80));

      Files.move(made("newer", 0, 70).store(), shown.store(), StandardCopyOption.REPLACE_EXISTING);

      await()
          .atMost(RunningController.WAIT)
          .untilAsserted(() -> assertDays(daysLeft(controller, "kvmesh-kafka", "keystore"), 70));
    }
  }
}
