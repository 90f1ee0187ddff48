package io.kvmesh.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Controllers that show good certificates and bad ones, all by one issuer. */
class TlsTest {

  private static final String PASSWORD = "password";
  private static final String HERE = "san=ip:127.0.0.1";

  @TempDir private static Path dir;
  private static KeyStore keys;
  private static Path issuer;

  @BeforeAll
  static void make() throws Exception {
    Path store = dir.resolve("all.p12");
    keytool(store, "issuer", "-ext", "bc:c");
    keytool(store, "good", "-signer", "issuer", "-ext", HERE);
    keytool(store, "expired", "-signer", "issuer", "-ext", HERE, "-startdate", "-30d");
    keytool(store, "early", "-signer", "issuer", "-ext", HERE, "-startdate", "+5d");
    keytool(store, "elsewhere", "-signer", "issuer", "-ext", "san=dns:kvmesh.example");
    keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
    issuer =
        Files.writeString(
            dir.resolve("issuer.crt"),
            "-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n"
                .formatted(
                    Base64.getMimeEncoder()
                        .encodeToString(keys.getCertificate("issuer").getEncoded())));
  }

  private static void keytool(Path store, String alias, String... more) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-validity",
                "20",
                "-alias",
                alias,
                "-dname",
                "CN=" + alias,
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD));
    command.addAll(List.of(more));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
  }

  private static StubController showing(String alias) throws Exception {
    KeyStore one = KeyStore.getInstance("PKCS12");
    one.load(null, null);
    char[] password = PASSWORD.toCharArray();
    one.setKeyEntry(alias, keys.getKey(alias, password), password, keys.getCertificateChain(alias));
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(one, password);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(factory.getKeyManagers(), null, null);
    return StubController.secured(context).answer("/api/v1/workers", "{\"workers\":[]}");
  }

  private static Run workers(String url) {
    return Run.of("workers", "--url", url, "--ca-file", issuer.toString());
  }

  @Test
  void goodCertificate_isTaken() throws Exception {
    try (StubController controller = showing("good")) {
      assertThat(workers(controller.url()).status()).isZero();
    }
  }

  @Test
  void certificateThatExpired_isToldWithItsEnd() throws Exception {
    try (StubController controller = showing("expired")) {
      Run run = workers(controller.url());

      assertThat(run.status()).isEqualTo(3);
      assertThat(run.err())
          .startsWith("kvmesh: " + controller.url() + ": its certificate CN=expired expired on 20")
          .contains("renew it")
          .hasLineCount(1);
    }
  }

  @Test
  void certificateThatIsNotGoodYet_isTold() throws Exception {
    try (StubController controller = showing("early")) {
      assertThat(workers(controller.url()).err())
          .contains("CN=early is good from 20", "see that the clock here is right");
    }
  }

  @Test
  void certificateOfAnotherHost_isToldWithItsOwn() throws Exception {
    try (StubController controller = showing("elsewhere")) {
      Run run = workers(controller.url());

      assertThat(run.status()).isEqualTo(3);
      assertThat(run.err())
          .contains("CN=elsewhere is for kvmesh.example, not for 127.0.0.1", "in --url");
    }
  }

  @Test
  void issuerThatIsUnknown_isToldWithTheOptionThatNamesIt() throws Exception {
    try (StubController controller = showing("good")) {
      Run run = Run.of("workers", "--url", controller.url());

      assertThat(run.status()).isEqualTo(3);
      assertThat(run.err())
          .contains("its certificate CN=good, issued by CN=issuer, isn't trusted here")
          .contains("--ca-file");
    }
  }

  @Test
  void doctor_saysWhatIsWrongWithACertificate_andAsksTheOthers() throws Exception {
    try (StubController expired = showing("expired");
        StubController elsewhere = showing("elsewhere")) {
      String urls = expired.url() + "," + elsewhere.url();
      Run run = Run.of("doctor", "--url", urls, "--ca-file", issuer.toString());

      assertThat(run.status()).isEqualTo(3);
      assertThat(run.out())
          .contains("TROUBLE  " + expired.url() + ": its certificate CN=expired expired on ")
          .contains("TROUBLE  " + elsewhere.url() + ": its certificate CN=elsewhere is for ")
          .contains("renew it where the controller's spring.ssl.bundle.* says");
    }
  }

  @Test
  void nextController_isAskedWhereTheFirstIsNotTrusted() throws Exception {
    try (StubController expired = showing("expired");
        StubController good = showing("good")) {
      assertThat(workers(expired.url() + "," + good.url()).status()).isZero();
    }
  }

  @Test
  void status_tellsWhoIsNotTrusted() throws Exception {
    try (StubController expired = showing("expired");
        StubController good = showing("good")) {
      good.answer("/version", "\"0.1.0\"")
          .answer("/actuator/health", "{\"status\":\"UP\"}")
          .answer("/api/v1/instances", "{\"instances\":[]}");
      String urls = expired.url() + "," + good.url();
      Run run = Run.of("status", "--url", urls, "--ca-file", issuer.toString());

      assertThat(run.status()).isEqualTo(1);
      assertThat(run.out()).contains(expired.url() + "  -        not trusted");
    }
  }

  @Test
  void controllerWithoutTls_isTold() throws Exception {
    try (ServerSocket plain = new ServerSocket(0)) {
      Thread.startVirtualThread(() -> refuseAll(plain));

      Run run = workers("https://127.0.0.1:" + plain.getLocalPort());

      assertThat(run.status()).isEqualTo(3);
      assertThat(run.err()).contains("no TLS with what answers there");
    }
  }

  /** A client that sees the end before the answer comes once more. */
  private static void refuseAll(ServerSocket plain) {
    try {
      while (true) {
        Socket socket = plain.accept();
        Thread.startVirtualThread(() -> refuseAsTomcatDoes(socket));
      }
    } catch (IOException e) {
      // The test has closed it.
    }
  }

  /** What isn't HTTP is answered in HTTP. */
  private static void refuseAsTomcatDoes(Socket accepted) {
    try (Socket socket = accepted) {
      socket.getInputStream().read();
      socket.getOutputStream().write("HTTP/1.1 400 \r\n\r\n".getBytes(StandardCharsets.UTF_8));
      socket.shutdownOutput();
      socket.getInputStream().readAllBytes();
    } catch (IOException e) {
      // The client has gone: it has what it needs.
    }
  }

  /** No system gives this port out by itself. */
  @Test
  void nothingThere_isStillUnreachable() {
    assertThat(workers("https://127.0.0.1:65535").err()).contains("nothing answers there");
  }

  @Test
  void fileOfIssuersThatIsNone_isRefused() throws Exception {
    Path file = Files.writeString(dir.resolve("empty.crt"), "");
    Run run = Run.of("workers", "--url", "https://127.0.0.1:1", "--ca-file", file.toString());

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("--ca-file can't be read", "it holds no certificate in PEM");
  }
}
