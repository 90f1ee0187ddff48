package io.kvmesh.program.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.embedded.SelfSigned;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslStoreBundle;

/** What is told at the start of certificates that aren't good. */
class CertificateConfigurationTest {

  @TempDir private Path dir;

  private final DefaultSslBundleRegistry bundles = new DefaultSslBundleRegistry();

  private KeyStore made(String name, int startDay, int days) throws Exception {
    SelfSigned made =
        SelfSigned.create(Files.createDirectory(dir.resolve(name)), name, startDay, days);
    return KeyStore.getInstance(made.store().toFile(), SelfSigned.PASSWORD.toCharArray());
  }

  private void add(String name, @Nullable KeyStore shown, @Nullable KeyStore trusted) {
    bundles.registerBundle(name, SslBundle.of(SslStoreBundle.of(shown, null, trusted)));
  }

  @Test
  void certificatesThatExpiredOrAreEarly_areNamedWithTheirTimes() throws Exception {
    add("kvmesh-kafka", made("stale", -30, 20), made("early", 5, 20));
    add("kvmesh-redis", null, made("outlived", -30, 29));

    assertThat(CertificateConfiguration.faults(bundles))
        .satisfiesExactlyInAnyOrder(
            fault ->
                assertThat(fault)
                    .startsWith("Certificate of SSL bundle kvmesh-kafka, CN=stale: good from 20")
                    .endsWith("not now: it is refused by who is shown it"),
            fault ->
                assertThat(fault)
                    .startsWith("Certificate of SSL bundle kvmesh-kafka, CN=early: good from 20")
                    .endsWith("not now: no trusted one is good, so all are refused"),
            fault -> assertThat(fault).contains("kvmesh-redis, CN=outlived: good from 20"));
  }

  @Test
  void goodCertificates_andOneGoodAmongTheTrusted_areNoFault() throws Exception {
    KeyStore trusted = made("expired", -30, 20);
    trusted.setCertificateEntry("good", made("good", 0, 20).getCertificate("server"));
    add("kvmesh-kafka", made("shown", 0, 20), trusted);

    assertThat(CertificateConfiguration.faults(bundles)).isEmpty();
  }
}
