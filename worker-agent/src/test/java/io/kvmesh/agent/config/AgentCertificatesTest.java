package io.kvmesh.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.wire.control.WorkerCertificate;
import io.kvmesh.embedded.SelfSigned;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslStoreBundle;

/** What controllers are told of an agent's certificates. */
class AgentCertificatesTest {

  @TempDir private Path dir;

  private final DefaultSslBundleRegistry bundles = new DefaultSslBundleRegistry();

  private KeyStore made(String name, int days) throws Exception {
    SelfSigned made = SelfSigned.create(Files.createDirectory(dir.resolve(name)), name, 0, days);
    return KeyStore.getInstance(made.store().toFile(), SelfSigned.PASSWORD.toCharArray());
  }

  private void add(String name, @Nullable KeyStore shown, @Nullable KeyStore trusted) {
    bundles.registerBundle(name, SslBundle.of(SslStoreBundle.of(shown, null, trusted)));
  }

  private List<WorkerCertificate> now() {
    return new AgentCertificates(bundles, "http").now();
  }

  @Test
  void shownByItsFirstEnd_trustedByItsLast_theFirstToEndFirst() throws Exception {
    KeyStore shown = made("late", 40);
    shown.setCertificateEntry("early", made("early", 20).getCertificate("server"));
    KeyStore trusted = made("old", 5);
    trusted.setCertificateEntry("new", made("new", 30).getCertificate("server"));
    add("http", shown, null);
    add("kvmesh-kafka", made("client", 10), trusted);
    add("mine", made("mine", 50), null);

    assertThat(now())
        .extracting(
            it -> "%s %s %s %s".formatted(it.bundle(), it.purpose(), it.trusted(), it.subject()))
        .containsExactly(
            "kvmesh-kafka kafka false CN=client",
            "http http false CN=early",
            "kvmesh-kafka kafka true CN=new",
            "mine other false CN=mine");
    assertThat(Instant.ofEpochMilli(now().getFirst().endMillis()))
        .isBetween(Instant.now().plus(Duration.ofDays(9)), Instant.now().plus(Duration.ofDays(10)));
  }

  @Test
  void withoutBundles_nothingIsTold() {
    assertThat(now()).isEmpty();
  }
}
