package io.kvmesh.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Certificates are found before their end. */
class DoctorCertificateTest extends DoctorFixture {

  @ParameterizedTest
  @CsvSource({
    "certificateChains, 13, 400, 'WARNING  %s: certificate of its SSL bundle rest expires on '",
    "certificateChains, 400, 0, 'TROUBLE  %s: certificate of its SSL bundle rest expires on '",
    "certificateChains, -1, 400, 'TROUBLE  %s: certificate of its SSL bundle rest expired on '",
    "certificateChains, 15, 400, ''",
    "trustStoreCertificateChains, 13, -1, 'WARNING  %s: every certificate that is trusted'",
    "trustStoreCertificateChains, -1, 15, ''"
  })
  void certificate_isFoundTwoWeeksBeforeItsEnd(
      String store, int daysLeft, int daysLeftOfTheOther, String finding) {
    controller.change(INFO, "\"build\"", bundle(store, daysLeft, daysLeftOfTheOther));

    Run run = doctor();

    assertThat(run.status()).isEqualTo(finding.isEmpty() ? 0 : 1);
    assertThat(run.out()).contains(finding.formatted(controller.url()));
  }

  @Test
  void certificatesOfKafkaAndRedis_areFoundWithTheirSettings() {
    String kafka = bundle("certificateChains", -1, 400).replace("rest", "kvmesh-kafka");
    controller.change(INFO, "\"build\"", kafka);

    assertThat(doctor().out())
        .contains("its SSL bundle kvmesh-kafka expired on", "kvmesh.kafka.properties-file");

    controller.change(INFO, "kvmesh-kafka", "kvmesh-redis");

    assertThat(doctor().out())
        .contains("no connection between it and Redis", "kvmesh.redis.ca-file");
  }

  @ParameterizedTest
  @CsvSource({
    "http, http, false, 13, 'WARNING  a/0: certificate CN=x of its SSL bundle http (its HTTP port)"
        + " expires on 2', Prometheus, spring.ssl.bundle.*.http",
    "kvmesh-kafka, kafka, false, -1, 'TROUBLE  a/0: certificate CN=x of its SSL bundle kvmesh-kafka"
        + " (Kafka) expired on 2', connect to Kafka, this agent's kvmesh.kafka.properties-file",
    "kvmesh-kafka, kafka, true, 0, 'TROUBLE  a/0: every certificate that is trusted of its SSL"
        + " bundle kvmesh-kafka (Kafka) expire', connect to Kafka, its next connection takes it",
    "mine, other, false, 13, 'WARNING  a/0: certificate CN=x of its SSL bundle mine (other)"
        + " expires on 2', refuse the connection, spring.ssl.bundle.*.mine",
    "http, http, false, 15, '', '', ''"
  })
  void certificateOfAnAgent_isFoundTwoWeeksBeforeItsEnd(
      String bundle,
      String purpose,
      boolean trusted,
      int daysLeft,
      String finding,
      String meaning,
      String change) {
    long end = Instant.now().plusSeconds(60).plus(Duration.ofDays(daysLeft)).toEpochMilli();
    controller.change(
        ASKED,
        "\"errorCode\":0",
        """
        "errorCode":0,"certificates":[{"bundle":"%s","purpose":"%s","trusted":%s,
        "subject":"CN=x","endMillis":%d}]
        """
            .formatted(bundle, purpose, trusted, end));

    Run run = doctor();

    assertThat(run.status()).isEqualTo(finding.isEmpty() ? 0 : 1);
    assertThat(run.out()).contains(finding, meaning, change);
  }

  /** As {@code /actuator/info} shows it, with two chains, before {@code build}. */
  private static String bundle(String store, int daysLeft, int daysLeftOfTheOther) {
    Instant now = Instant.now().plusSeconds(60);
    return """
    "ssl":{"bundles":[{"name":"rest","%s":[
      {"alias":"a","certificates":[{"subject":"CN=a","validityEnds":"%s"}]},
      {"alias":"b","certificates":[{"subject":"CN=b","validityEnds":"%s"}]}]}]},"build"
    """
        .formatted(
            store,
            now.plus(Duration.ofDays(daysLeft)),
            now.plus(Duration.ofDays(daysLeftOfTheOther)))
        .strip();
  }
}
