package io.kvmesh.agent.config;

import io.kvmesh.common.wire.control.HealthWorkerRetMsg;
import io.kvmesh.common.wire.control.WorkerCertificate;
import io.kvmesh.program.certificate.CertificateConfiguration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.boot.info.SslInfo;
import org.springframework.boot.info.SslInfo.CertificateChainInfo;
import org.springframework.boot.info.SslInfo.CertificateInfo;
import org.springframework.boot.ssl.SslBundles;

/** Until when the certificates of Spring's SSL bundles are good, as they are now. Any thread. */
final class AgentCertificates {

  private static final Comparator<CertificateInfo> BY_END =
      Comparator.comparing(AgentCertificates::end);

  private final SslBundles bundles;
  private final String httpBundle;

  /**
   * @param httpBundle that of the HTTP port; empty = it has none
   */
  AgentCertificates(SslBundles bundles, String httpBundle) {
    this.bundles = bundles;
    this.httpBundle = httpBundle;
  }

  /** One for those that a bundle shows, one for those that it trusts; the first to end first. */
  List<WorkerCertificate> now() {
    return new SslInfo(bundles)
        .getBundles().stream()
            .flatMap(bundle -> Stream.of(shown(bundle), trusted(bundle)))
            .flatMap(Optional::stream)
            .sorted(Comparator.comparingLong(WorkerCertificate::endMillis))
            .limit(HealthWorkerRetMsg.MOST_CERTIFICATES)
            .toList();
  }

  private Optional<WorkerCertificate> shown(SslInfo.BundleInfo bundle) {
    return firstEnds(bundle.getCertificateChains()).min(BY_END).map(it -> of(bundle, false, it));
  }

  private Optional<WorkerCertificate> trusted(SslInfo.BundleInfo bundle) {
    return firstEnds(bundle.getTrustStoreCertificateChains())
        .max(BY_END)
        .map(it -> of(bundle, true, it));
  }

  /** That of each chain by which it ends. */
  private static Stream<CertificateInfo> firstEnds(List<CertificateChainInfo> chains) {
    return chains.stream()
        .flatMap(
            chain ->
                chain.getCertificates().stream()
                    .filter(it -> it.getValidityEnds() != null)
                    .min(BY_END)
                    .stream());
  }

  private static Instant end(CertificateInfo certificate) {
    Instant end = certificate.getValidityEnds();
    return end == null ? Instant.MAX : end;
  }

  private WorkerCertificate of(
      SslInfo.BundleInfo bundle, boolean trusted, CertificateInfo decides) {
    String subject = decides.getSubject();
    return new WorkerCertificate(
        bundle.getName(),
        purpose(bundle.getName()),
        trusted,
        subject == null ? "" : subject,
        end(decides).toEpochMilli());
  }

  private String purpose(String bundle) {
    if (bundle.equals(httpBundle)) {
      return WorkerCertificate.HTTP;
    }
    return bundle.equals(CertificateConfiguration.KAFKA)
        ? WorkerCertificate.KAFKA
        : WorkerCertificate.OTHER;
  }
}
