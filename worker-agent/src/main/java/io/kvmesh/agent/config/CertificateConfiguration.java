package io.kvmesh.agent.config;

import io.kvmesh.agent.event.KafkaCertificates;
import io.kvmesh.common.process.ClientProperties;
import java.io.IOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.ssl.SslBundleRegistrar;
import org.springframework.boot.info.SslInfo;
import org.springframework.boot.info.SslInfo.CertificateChainInfo;
import org.springframework.boot.info.SslInfo.CertificateInfo;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Has every certificate watched that the program works with: metrics, info and health are of
 * Spring's SSL bundles, so each is in one.
 */
@Configuration(proxyBeanMethods = false)
class CertificateConfiguration {

  /** What Kafka's clients work with. */
  static final String KAFKA = "kvmesh-kafka";

  private static final Logger log = LoggerFactory.getLogger(CertificateConfiguration.class);

  /** As they were at the start: Kafka's clients don't read them again, either. */
  @Bean
  SslBundleRegistrar kafkaCertificates(AgentSettings settings) {
    String file = settings.kafka().propertiesFile();
    try {
      KafkaCertificates found = KafkaCertificates.read(ClientProperties.read(file));
      var stores = SslStoreBundle.of(found.shown(), null, found.trusted());
      return bundles -> {
        if (!found.isEmpty()) {
          bundles.registerBundle(KAFKA, SslBundle.of(stores));
        }
      };
    } catch (IOException e) {
      throw new StartException("kvmesh.kafka.properties-file can't be read: " + e, e);
    }
  }

  /** Says at the start what is good no more; the program goes on without what needs it. */
  @Bean
  SmartInitializingSingleton expiredCertificates(SslBundles bundles) {
    return () -> new SslInfo(bundles).getBundles().forEach(CertificateConfiguration::tell);
  }

  private static void tell(SslInfo.BundleInfo bundle) {
    List<CertificateChainInfo> trusted = bundle.getTrustStoreCertificateChains();
    for (CertificateChainInfo chain : bundle.getCertificateChains()) {
      tell(bundle.getName(), "it is refused by who is shown it", chain);
    }
    // One that is good is enough.
    if (trusted.stream().allMatch(CertificateConfiguration::isBad)) {
      trusted.forEach(
          it -> tell(bundle.getName(), "no trusted one is good, so all are refused", it));
    }
  }

  private static void tell(String bundle, String meaning, CertificateChainInfo chain) {
    chain.getCertificates().stream()
        .filter(CertificateConfiguration::isBad)
        .forEach(
            it ->
                log.error(
                    "Certificate of SSL bundle {}, {}: good from {} to {}, not now: {}",
                    bundle,
                    it.getSubject(),
                    it.getValidityStarts(),
                    it.getValidityEnds(),
                    meaning));
  }

  private static boolean isBad(CertificateChainInfo chain) {
    return chain.getCertificates().stream().anyMatch(CertificateConfiguration::isBad);
  }

  private static boolean isBad(CertificateInfo certificate) {
    SslInfo.CertificateValidityInfo validity = certificate.getValidity();
    return validity != null && !validity.getStatus().isValid();
  }
}
