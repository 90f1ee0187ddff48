package io.kvmesh.controller.it;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.controller.ControllerApplication;
import io.kvmesh.embedded.SelfSigned;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * REST over TLS with the settings that the chart gives: a new certificate needs no restart, and
 * metrics and info say until when the one that is served is good.
 */
@Timeout(120)
class TlsIT {

  private static final Pattern EXPIRY =
      Pattern.compile(
          "(?m)^ssl_chain_expiry_seconds\\{bundle=\"rest\",.*source=\"keystore\".*} (\\S+)$");

  @TempDir private Path dir;

  @Test
  void certificateThatIsReplaced_isServedWithoutARestart() throws Exception {
    install("before", 7);
    for (String file : List.of("tls.crt", "tls.key")) {
      Files.createSymbolicLink(dir.resolve(file), Path.of("..data", file));
    }
    try (ConfigurableApplicationContext controller =
        ControllerApplication.start(
            "--server.port=0",
            "--server.address=127.0.0.1",
            "--kvmesh.kafka.bootstrap-servers=127.0.0.1:1",
            "--kvmesh.zmq.pull-bind=tcp://127.0.0.1:0",
            "--kvmesh.zmq.reply-bind=tcp://127.0.0.1:0",
            "--kvmesh.zmq.heartbeat-bind=tcp://127.0.0.1:0",
            "--server.ssl.bundle=rest",
            "--spring.ssl.bundle.pem.rest.keystore.certificate=file:" + dir.resolve("tls.crt"),
            "--spring.ssl.bundle.pem.rest.keystore.private-key=file:" + dir.resolve("tls.key"),
            "--spring.ssl.bundle.pem.rest.reload-on-update=true",
            "--spring.ssl.bundle.watch.file.quiet-period=500ms")) {
      int port =
          requireNonNull(((ServletWebServerApplicationContext) controller).getWebServer())
              .getPort();
      assertThat(nameServed(port)).isEqualTo("CN=before");
      assertThat(daysLeft(port))
          .singleElement()
          .satisfies(it -> assertThat(it).isBetween(6.0, 7.0));
      assertThat(get(port, "/actuator/info")).contains("\"CN=before\"", "\"validityEnds\"");

      install("after", 90);

      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(nameServed(port)).isEqualTo("CN=after"));
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () ->
                  assertThat(daysLeft(port))
                      .singleElement()
                      .satisfies(it -> assertThat(it).isBetween(89.0, 90.0)));
    }
  }

  /**
   * A new key, and its certificate in that name for so many days, put there as the kubelet puts a
   * Secret's files.
   */
  private void install(String name, int days) throws Exception {
    SelfSigned.create(Files.createDirectory(dir.resolve(name)), name, 0, days);
    Path link = Files.createSymbolicLink(dir.resolve("..new"), Path.of(name));
    Files.move(link, dir.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
  }

  /** Whose certificate a new connection gets. */
  private static String nameServed(int port) throws Exception {
    try (SSLSocket socket = (SSLSocket) trusting().getSocketFactory().createSocket()) {
      socket.connect(new InetSocketAddress("127.0.0.1", port), 10_000);
      socket.setSoTimeout(10_000);
      socket.startHandshake();
      X509Certificate served = (X509Certificate) socket.getSession().getPeerCertificates()[0];
      return served.getSubjectX500Principal().getName();
    }
  }

  /** What the alert on certificates and the doctor look at. */
  private static List<Double> daysLeft(int port) throws Exception {
    return EXPIRY
        .matcher(get(port, "/actuator/prometheus"))
        .results()
        .map(it -> Double.parseDouble(it.group(1)) / Duration.ofDays(1).toSeconds())
        .toList();
  }

  private static String get(int port, String path) throws Exception {
    try (HttpClient client = HttpClient.newBuilder().sslContext(trusting()).build()) {
      URI address = URI.create("https://127.0.0.1:" + port + path);
      return client
          .send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString())
          .body();
    }
  }

  private static SSLContext trusting() throws GeneralSecurityException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {new TrustsAll()}, null);
    return context;
  }

  /** It is the test that looks at the certificate. */
  private static final class TrustsAll implements X509TrustManager {

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
