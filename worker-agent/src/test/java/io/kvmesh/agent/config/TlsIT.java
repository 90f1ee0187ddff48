package io.kvmesh.agent.config;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.AgentApplication;
import io.kvmesh.agent.transfer.RawClient;
import io.kvmesh.common.wire.control.HealthWorkerMsg;
import io.kvmesh.common.wire.control.HealthWorkerRetMsg;
import io.kvmesh.common.wire.control.WorkerCertificate;
import io.kvmesh.embedded.SelfSigned;
import io.kvmesh.program.certificate.CertificateConfiguration;
import java.io.IOException;
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
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * An agent's certificates: that of its HTTP port is read again when it is renewed, and metrics,
 * info and health say until when each is good, those for Kafka, too.
 */
@Timeout(120)
class TlsIT {

  private static final Duration WAIT = Duration.ofSeconds(60);

  @TempDir private Path dir;

  @Test
  void certificateThatIsReplaced_isServedWithoutARestart() throws Exception {
    install("before", -30, 29);
    for (String file : List.of("tls.crt", "tls.key")) {
      Files.createSymbolicLink(dir.resolve(file), Path.of("..data", file));
    }
    try (ConfigurableApplicationContext agent =
        start(
            "--server.ssl.bundle=http",
            "--spring.ssl.bundle.pem.http.keystore.certificate=file:" + dir.resolve("tls.crt"),
            "--spring.ssl.bundle.pem.http.keystore.private-key=file:" + dir.resolve("tls.key"),
            "--spring.ssl.bundle.pem.http.reload-on-update=true",
            "--spring.ssl.bundle.watch.file.quiet-period=500ms")) {
      int port = port(agent);
      assertThat(nameServed(port)).isEqualTo("CN=before");
      assertDays(daysLeft(get("https", port, "/actuator/prometheus"), "http", "keystore"), -1);
      assertThat(get("https", port, "/actuator/info")).contains("\"CN=before\"");
      assertThat(CertificateConfiguration.faults(agent.getBean(SslBundles.class)))
          .singleElement()
          .asString()
          .startsWith("Certificate of SSL bundle http, CN=before: good from 20");
      assertThat(get("https", port, "/actuator/health/ssl")).contains("OUT_OF_SERVICE");
      assertThat(get("https", port, "/actuator/health/liveness")).contains("UP");

      assertThat(told(agent))
          .extracting(it -> it.purpose() + " " + it.subject())
          .containsExactly("http CN=before");

      install("after", 0, 90);

      await().atMost(WAIT).untilAsserted(() -> assertThat(nameServed(port)).isEqualTo("CN=after"));
      await()
          .atMost(WAIT)
          .untilAsserted(
              () ->
                  assertDays(
                      daysLeft(get("https", port, "/actuator/prometheus"), "http", "keystore"),
                      90));
      assertThat(get("https", port, "/actuator/health/ssl")).contains("\"UP\"");
      assertThat(told(agent))
          .extracting(it -> it.purpose() + " " + it.subject())
          .containsExactly("http CN=after");
    }
  }

  @Test
  void certificatesForKafka_areWatched() throws Exception {
    SelfSigned shown = made("shown", -30, 40);
    SelfSigned trusted = made("trusted", 0, 20);
    Path properties =
        Files.writeString(
            dir.resolve("client.properties"),
            """
            security.protocol=ssl
            ssl.keystore.type=PKCS12
            ssl.keystore.location=%s
            ssl.keystore.password=%s
            ssl.truststore.type=PEM
            ssl.truststore.certificates=%s
            """
                .formatted(
                    shown.store(),
                    SelfSigned.PASSWORD,
                    Files.readString(trusted.certificate()).replace("\n", "\\n")));
    try (ConfigurableApplicationContext agent =
        start("--kvmesh.kafka.properties-file=" + properties)) {
      String metrics = get("http", port(agent), "/actuator/prometheus");
      assertDays(daysLeft(metrics, "kvmesh-kafka", "keystore"), 10);
      assertDays(daysLeft(metrics, "kvmesh-kafka", "truststore"), 20);
      assertThat(get("http", port(agent), "/actuator/info")).contains("CN=shown", "CN=trusted");
      assertThat(told(agent))
          .extracting(it -> "%s %s %s".formatted(it.purpose(), it.trusted(), it.subject()))
          .as("a controller is told the same")
          .containsExactly("kafka false CN=shown", "kafka true CN=trusted");
    }
  }

  private static ConfigurableApplicationContext start(String... more) {
    Stream<String> arguments =
        Stream.of(
            "--server.port=0",
            "--server.address=127.0.0.1",
            "--kvmesh.instance-id=tls",
            "--kvmesh.advertise-loopback=true",
            "--kvmesh.model.name=m",
            "--kvmesh.model.page-bytes=4096B",
            "--kvmesh.cache.capacity-bytes=1MB",
            "--kvmesh.kafka.bootstrap-servers=127.0.0.1:1",
            "--kvmesh.peer.init-bind=tcp://127.0.0.1:0",
            "--kvmesh.peer.lookup-bind=tcp://127.0.0.1:0",
            "--kvmesh.control.bind=tcp://127.0.0.1:0",
            "--kvmesh.engine.bind=tcp://127.0.0.1:0");
    return AgentApplication.start(Stream.concat(arguments, Stream.of(more)).toArray(String[]::new));
  }

  /** What the agent answers a controller that asks how it is. */
  private static List<WorkerCertificate> told(ConfigurableApplicationContext agent)
      throws IOException {
    String control =
        requireNonNull(agent.getBean(Agent.class).parts().doors().get().get("control"));
    try (RawClient controller = RawClient.req(control)) {
      return requireNonNull(
          controller.ask(HealthWorkerRetMsg.class, new HealthWorkerMsg("h")).certificates());
    }
  }

  private static int port(ConfigurableApplicationContext agent) {
    return requireNonNull(((ServletWebServerApplicationContext) agent).getWebServer()).getPort();
  }

  private SelfSigned made(String name, int startDay, int days) throws Exception {
    return SelfSigned.create(Files.createDirectory(dir.resolve(name)), name, startDay, days);
  }

  /** A new key and its certificate, put there as the kubelet puts a Secret's files. */
  private void install(String name, int startDay, int days) throws Exception {
    made(name, startDay, days);
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

  private static List<Double> daysLeft(String metrics, String bundle, String source) {
    return Pattern.compile(
            "(?m)^ssl_chain_expiry_seconds\\{bundle=\"%s\",.*source=\"%s\".*} (\\S+)$"
                .formatted(bundle, source))
        .matcher(metrics)
        .results()
        .map(it -> Double.parseDouble(it.group(1)) / Duration.ofDays(1).toSeconds())
        .toList();
  }

  private static void assertDays(List<Double> left, double most) {
    assertThat(left)
        .singleElement()
        .satisfies(it -> assertThat(it).isBetween(most - 1, most + 0.1));
  }

  private static String get(String scheme, int port, String path) throws Exception {
    try (HttpClient client = HttpClient.newBuilder().sslContext(trusting()).build()) {
      URI address = URI.create("%s://127.0.0.1:%d%s".formatted(scheme, port, path));
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
