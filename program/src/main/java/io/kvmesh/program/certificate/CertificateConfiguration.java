package io.kvmesh.program.certificate;

import io.kvmesh.program.kafka.ClientProperties;
import io.kvmesh.program.kafka.KafkaCertificates;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.ssl.SslBundleRegistrar;
import org.springframework.boot.info.SslInfo;
import org.springframework.boot.info.SslInfo.CertificateChainInfo;
import org.springframework.boot.info.SslInfo.CertificateInfo;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Has every certificate watched that the program works with: metrics, info and health are of
 * Spring's SSL bundles, so each is in one.
 */
@Configuration(proxyBeanMethods = false)
public class CertificateConfiguration {

  /** What Kafka's clients work with. */
  public static final String KAFKA = "kvmesh-kafka";

  /** Of the program's settings, which have been checked. */
  private static final String PROPERTIES_FILE = "kvmesh.kafka.properties-file";

  private static final Logger log = LoggerFactory.getLogger(CertificateConfiguration.class);

  /** How Kafka lets the program's clients in, read once. */
  @Bean
  ClientProperties kafkaAccess(Environment environment) {
    try {
      return ClientProperties.read(environment.getProperty(PROPERTIES_FILE, ""));
    } catch (IOException e) {
      throw new UncheckedIOException(PROPERTIES_FILE + " can't be read", e);
    }
  }

  @Bean
  SslBundleRegistrar kafkaCertificates(ClientProperties kafkaAccess) {
    KafkaCertificates found = read(kafkaAccess);
    return bundles -> {
      if (!found.isEmpty()) {
        bundles.registerBundle(KAFKA, KafkaCertificateWatch.bundle(found));
      }
    };
  }

  /** Looks at files alone, which exist only where there is a bundle. */
  @Bean(initMethod = "start")
  KafkaCertificateWatch kafkaCertificateWatch(
      ClientProperties kafkaAccess, SslBundleRegistry bundles) {
    return new KafkaCertificateWatch(kafkaAccess, bundles);
  }

  private static KafkaCertificates read(ClientProperties properties) {
    try {
      return KafkaCertificates.read(properties);
    } catch (IOException e) {
      throw new UncheckedIOException("What %s names can't be read".formatted(PROPERTIES_FILE), e);
    }
  }

  /** Says at the start what isn't good; the program goes on without what needs it. */
  @Bean
  SmartInitializingSingleton badCertificates(SslBundles bundles) {
    return () -> faults(bundles).forEach(log::error);
  }

  /** What isn't good now: of those that are shown any, of those that are trusted all or none. */
  public static List<String> faults(SslBundles bundles) {
    List<String> faults = new ArrayList<>();
    for (SslInfo.BundleInfo bundle : new SslInfo(bundles).getBundles()) {
      add(faults, bundle, bundle.getCertificateChains(), "it is refused by who is shown it");
      List<CertificateChainInfo> trusted = bundle.getTrustStoreCertificateChains();
      if (trusted.stream().allMatch(CertificateConfiguration::isBad)) {
        add(faults, bundle, trusted, "no trusted one is good, so all are refused");
      }
    }
    return faults;
  }

  private static void add(
      List<String> faults,
      SslInfo.BundleInfo bundle,
      List<CertificateChainInfo> chains,
      String meaning) {
    chains.stream()
        .flatMap(chain -> chain.getCertificates().stream())
        .filter(CertificateConfiguration::isBad)
        .map(
            it ->
                "Certificate of SSL bundle %s, %s: good from %s to %s, not now: %s"
                    .formatted(
                        bundle.getName(),
                        it.getSubject(),
                        it.getValidityStarts(),
                        it.getValidityEnds(),
                        meaning))
        .forEach(faults::add);
  }

  private static boolean isBad(CertificateChainInfo chain) {
    return chain.getCertificates().stream().anyMatch(CertificateConfiguration::isBad);
  }

  private static boolean isBad(CertificateInfo certificate) {
    SslInfo.CertificateValidityInfo validity = certificate.getValidity();
    return validity != null && !validity.getStatus().isValid();
  }
}
