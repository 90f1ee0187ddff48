package io.kvmesh.cli;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Which controllers' certificates are good: as the JDK judges, and a refusal says what is wrong and
 * what to change. Any thread.
 */
final class ServerTrust extends X509ExtendedTrustManager {

  private final X509ExtendedTrustManager jdk;

  private ServerTrust(X509ExtendedTrustManager jdk) {
    this.jdk = jdk;
  }

  /** A certificate that isn't good, and what to do about it. */
  @SuppressWarnings("serial")
  static final class BadCertificateException extends CertificateException {

    private final String change;

    BadCertificateException(String what, String change, CertificateException cause) {
      super(what, cause);
      this.change = change;
    }

    String what() {
      return String.valueOf(getMessage());
    }

    String change() {
      return change;
    }

    /** The one for which a connection failed, if it is for such a one. */
    static Optional<BadCertificateException> in(Throwable failure) {
      for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
        if (cause instanceof BadCertificateException bad) {
          return Optional.of(bad);
        }
      }
      return Optional.empty();
    }
  }

  /**
   * For connections to controllers.
   *
   * @param caFile certificates in PEM of those whose word is taken; null = those of the JVM
   * @throws IOException if the file can't be read, or holds something else
   */
  static SSLContext context(@Nullable Path caFile) throws IOException {
    try {
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(caFile == null ? null : store(caFile));
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {of(factory)}, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static ServerTrust of(TrustManagerFactory factory) throws GeneralSecurityException {
    for (TrustManager manager : factory.getTrustManagers()) {
      if (manager instanceof X509ExtendedTrustManager jdk) {
        return new ServerTrust(jdk);
      }
    }
    throw new GeneralSecurityException("this JVM judges no certificates");
  }

  private static KeyStore store(Path file) throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    try (InputStream in = Files.newInputStream(file)) {
      int number = 0;
      for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        store.setCertificateEntry("ca-" + number++, one);
      }
    }
    if (store.size() == 0) {
      throw new IOException("it holds no certificate in PEM");
    }
    return store;
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    try {
      jdk.checkServerTrusted(chain, type, engine);
    } catch (CertificateException e) {
      throw explained(chain, type, String.valueOf(engine.getPeerHost()), e);
    }
  }

  /** Of what the JDK refused: why, the plainest reason first. */
  private BadCertificateException explained(
      X509Certificate[] chain, String type, String host, CertificateException e) {
    Instant now = Instant.now();
    for (X509Certificate certificate : chain) {
      Instant end = certificate.getNotAfter().toInstant();
      Instant start = certificate.getNotBefore().toInstant();
      if (end.isBefore(now)) {
        return new BadCertificateException(
            "its certificate %s expired on %s".formatted(name(certificate), end),
            "renew it where the controller's spring.ssl.bundle.* says; it is taken without a"
                + " restart where reload-on-update is set",
            e);
      }
      if (start.isAfter(now)) {
        return new BadCertificateException(
            "its certificate %s is good from %s on alone".formatted(name(certificate), start),
            "see that the clock here is right, else have a certificate made that is good now",
            e);
      }
    }
    return isTrusted(chain, type) ? elsewhere(chain[0], host, e) : stranger(chain, e);
  }

  private static BadCertificateException elsewhere(
      X509Certificate certificate, String host, CertificateException e) {
    return new BadCertificateException(
        "its certificate %s is for %s, not for %s"
            .formatted(name(certificate), names(certificate), host),
        "name the controller by one of these in --url, or have a certificate made for " + host,
        e);
  }

  private static BadCertificateException stranger(X509Certificate[] chain, CertificateException e) {
    return new BadCertificateException(
        "its certificate %s, issued by %s, isn't trusted here"
            .formatted(name(chain[0]), chain[chain.length - 1].getIssuerX500Principal().getName()),
        "name the file with its issuer's certificate, in PEM, by --ca-file (KVMESH_CA_FILE)",
        e);
  }

  /** Whoever's it is. */
  private boolean isTrusted(X509Certificate[] chain, String type) {
    try {
      jdk.checkServerTrusted(chain, type);
      return true;
    } catch (CertificateException e) {
      return false;
    }
  }

  private static String name(X509Certificate certificate) {
    return certificate.getSubjectX500Principal().getName();
  }

  /** The hosts that a certificate names. */
  private static String names(X509Certificate certificate) {
    try {
      var names = certificate.getSubjectAlternativeNames();
      return names == null
          ? "no host"
          : String.join(", ", names.stream().map(it -> String.valueOf(it.get(1))).toList());
    } catch (CertificateException e) {
      return "hosts that can't be read";
    }
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    jdk.checkServerTrusted(chain, type, socket);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    jdk.checkServerTrusted(chain, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    jdk.checkClientTrusted(chain, type, socket);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    jdk.checkClientTrusted(chain, type, engine);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    jdk.checkClientTrusted(chain, type);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return jdk.getAcceptedIssuers();
  }
}
