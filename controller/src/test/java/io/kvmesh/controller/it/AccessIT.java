package io.kvmesh.controller.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import io.kvmesh.cli.Kvmesh;
import io.kvmesh.controller.ControllerApplication;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.AntPathMatcher;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;

/** Every path of a controller that asks who is asking, against the README's table of roles. */
@Timeout(180)
class AccessIT {

  private static final Path README = Path.of("..", "README.md");
  private static final List<String> ROLES = List.of("open", "read", "operate", "admin");
  private static final Set<Integer> REFUSALS = Set.of(401, 403);
  private static final String ISSUER = "https://login.example.com";

  private final HttpClient http = HttpClient.newHttpClient();
  private final AntPathMatcher matcher = new AntPathMatcher();

  @TempDir private Path dir;

  private record Endpoint(String method, String path) {}

  private static ConfigurableApplicationContext start(String... settings) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "--server.port=0",
                "--server.address=127.0.0.1",
                "--kvmesh.kafka.bootstrap-servers=127.0.0.1:1",
                "--kvmesh.zmq.pull-bind=tcp://127.0.0.1:0",
                "--kvmesh.zmq.reply-bind=tcp://127.0.0.1:0",
                "--kvmesh.zmq.heartbeat-bind=tcp://127.0.0.1:0"));
    all.addAll(List.of(settings));
    return ControllerApplication.start(all.toArray(String[]::new));
  }

  private static String token(String role) {
    return "a-token-that-may-" + role;
  }

  private Path tokens() throws IOException {
    return Files.writeString(
        dir.resolve("tokens"),
        "# who may do what\n\n"
            + ROLES.stream()
                .skip(1)
                .map(role -> role + " " + token(role) + "\n")
                .collect(Collectors.joining()));
  }

  @Test
  void everyPath_isForTheRolesOfTheReadmeAlone() throws Exception {
    Map<String, String> table = table();
    try (ConfigurableApplicationContext controller =
        start("--kvmesh.access.mode=tokens", "--kvmesh.access.tokens-file=" + tokens())) {
      List<Endpoint> endpoints = endpoints(controller);
      assertThat(endpoints).hasSizeGreaterThan(40);
      for (Endpoint endpoint : endpoints) {
        int needed = ROLES.indexOf(needed(table, endpoint));
        for (String role : ROLES) {
          @Nullable String token = role.equals("open") ? null : token(role);
          int status = ask(controller, endpoint, token).statusCode();
          assertThat(REFUSALS.contains(status))
              .as("%s as %s: %d", endpoint, role, status)
              .isEqualTo(ROLES.indexOf(role) < needed);
        }
        assertThat(ask(controller, endpoint, "a-token-that-nobody-has").statusCode())
            .as("%s with a wrong token", endpoint)
            .isEqualTo(401);
      }
    }
  }

  @Test
  void refusals_areProblemsWithAReason_andCounted() throws Exception {
    try (ConfigurableApplicationContext controller =
        start("--kvmesh.access.mode=tokens", "--kvmesh.access.tokens-file=" + tokens())) {
      HttpResponse<String> nobody = ask(controller, new Endpoint("GET", "/api/v1/workers"), null);
      HttpResponse<String> reader =
          ask(controller, new Endpoint("POST", "/api/v1/commands/clear"), token("read"));

      assertThat(nobody.headers().firstValue("WWW-Authenticate")).hasValue("Bearer");
      assertThat(nobody.headers().firstValue("Content-Type")).hasValue("application/problem+json");
      assertThat(nobody.body()).contains("needs a bearer token");
      assertThat(reader.statusCode()).isEqualTo(403);
      assertThat(commandLine(controller)).isEqualTo(2);
      assertThat(
              commandLine(
                  controller,
                  "--token-file",
                  Files.writeString(dir.resolve("token"), token("read") + "\n").toString()))
          .isZero();
      assertThat(reader.body()).contains("POST /api/v1/commands/clear needs a token of a higher");
      assertThat(ask(controller, new Endpoint("GET", "/actuator/prometheus"), token("read")).body())
          .contains("kvmesh_controller_access_refused_total{reason=\"unauthenticated\"} 2.0")
          .contains("kvmesh_controller_access_refused_total{reason=\"forbidden\"} 1.0");
    }
  }

  /** Status of {@code kvmesh workers}. */
  private static int commandLine(ConfigurableApplicationContext controller, String... options) {
    List<String> words =
        new ArrayList<>(List.of("workers", "--url", "http://127.0.0.1:" + port(controller)));
    words.addAll(List.of(options));
    return Kvmesh.commandLine().execute(words.toArray(String[]::new));
  }

  @Test
  void tokensOfAnIssuer_areGoodForTheirRolesWhileTheyLast() throws Exception {
    RSAKey key = new RSAKeyGenerator(2048).keyID("one").generate();
    RSAKey another = new RSAKeyGenerator(2048).keyID("one").generate();
    HttpServer issuer =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    byte[] keys = new JWKSet(key.toPublicJWK()).toString().getBytes(StandardCharsets.UTF_8);
    issuer.createContext(
        "/keys",
        exchange -> {
          exchange.sendResponseHeaders(200, keys.length);
          exchange.getResponseBody().write(keys);
          exchange.close();
        });
    issuer.start();
    try (ConfigurableApplicationContext controller =
        start(
            "--kvmesh.access.mode=jwt",
            "--kvmesh.access.jwt.issuer=" + ISSUER,
            "--kvmesh.access.jwt.keys-uri=http://127.0.0.1:%d/keys"
                .formatted(issuer.getAddress().getPort()),
            "--kvmesh.access.jwt.roles-claim=realm.roles")) {
      Endpoint read = new Endpoint("GET", "/api/v1/workers");
      Endpoint operate = new Endpoint("POST", "/api/v1/commands/clear");
      String reader = signed(key, ISSUER, "kvmesh", Duration.ofMinutes(5), "read", "else");

      assertThat(ask(controller, read, reader).statusCode()).isEqualTo(200);
      assertThat(ask(controller, operate, reader).statusCode()).isEqualTo(403);
      for (String bad :
          List.of(
              signed(another, ISSUER, "kvmesh", Duration.ofMinutes(5), "admin"),
              signed(key, "https://else.example.com", "kvmesh", Duration.ofMinutes(5), "admin"),
              signed(key, ISSUER, "other", Duration.ofMinutes(5), "admin"),
              signed(key, ISSUER, "kvmesh", Duration.ofMinutes(-5), "admin"),
              "no.token.at-all")) {
        assertThat(ask(controller, read, bad).statusCode()).as(bad).isEqualTo(401);
      }
      assertThat(
              ask(controller, read, signed(key, ISSUER, "kvmesh", Duration.ofMinutes(5), "else"))
                  .statusCode())
          .isEqualTo(403);
    } finally {
      issuer.stop(0);
    }
  }

  @Test
  void issuerAway_isAnErrorOfItsOwn() throws Exception {
    RSAKey key = new RSAKeyGenerator(2048).keyID("one").generate();
    try (ConfigurableApplicationContext controller =
        start(
            "--kvmesh.access.mode=jwt",
            "--kvmesh.access.jwt.issuer=" + ISSUER,
            "--kvmesh.access.jwt.keys-uri=http://127.0.0.1:1/keys")) {
      String token = signed(key, ISSUER, "kvmesh", Duration.ofMinutes(5), "admin");

      HttpResponse<String> answer = ask(controller, new Endpoint("GET", "/api/v1/workers"), token);

      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.body()).contains("can't be checked");
    }
  }

  @Test
  void wrongSettings_areRefusedAtStartWithoutTheirTokens() throws Exception {
    Path file = Files.writeString(dir.resolve("bad"), "reed a-token-that-is-long-enough\n");
    assertThatThrownBy(
            () -> start("--kvmesh.access.mode=tokens", "--kvmesh.access.tokens-file=" + file))
        .hasStackTraceContaining("access.tokens-file")
        .hasStackTraceContaining("line 1 must be read, operate or admin");
    assertThatThrownBy(() -> start("--kvmesh.access.mode=jwt"))
        .hasStackTraceContaining("access.jwt.keys-uri")
        .hasStackTraceContaining("access.jwt.issuer");
  }

  private static String signed(
      RSAKey key, String issuer, String audience, Duration lifetime, String... roles)
      throws JOSEException {
    SignedJWT token =
        new SignedJWT(
            new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key.getKeyID()).build(),
            new JWTClaimsSet.Builder()
                .subject("somebody")
                .issuer(issuer)
                .audience(audience)
                .expirationTime(Date.from(Instant.now().plus(lifetime)))
                .claim("realm", Map.of("roles", List.of(roles)))
                .build());
    token.sign(new RSASSASigner(key));
    return token.serialize();
  }

  private static List<Endpoint> endpoints(ConfigurableApplicationContext controller) {
    return controller.getBeansOfType(RequestMappingInfoHandlerMapping.class).values().stream()
        .flatMap(mapping -> mapping.getHandlerMethods().keySet().stream())
        .flatMap(
            info -> {
              Set<RequestMethod> methods = info.getMethodsCondition().getMethods();
              Stream<String> names =
                  methods.isEmpty() ? Stream.of("GET", "POST") : methods.stream().map(Enum::name);
              return names.flatMap(
                  method ->
                      info.getPatternValues().stream().map(path -> new Endpoint(method, path)));
            })
        .map(it -> new Endpoint(it.method, it.path.replaceAll("\\{[^}]*}", "x").replace("**", "x")))
        .distinct()
        .toList();
  }

  private String needed(Map<String, String> table, Endpoint endpoint) {
    return table.entrySet().stream()
        .filter(row -> matcher.match(row.getKey(), endpoint.method + " " + endpoint.path))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse("admin");
  }

  /** The README's rows: method and path, and the role. */
  private static Map<String, String> table() throws IOException {
    String readme = Files.readString(README);
    int begin = readme.indexOf("<!-- table: access -->");
    Map<String, String> table = new LinkedHashMap<>();
    for (String line :
        readme.substring(begin, readme.indexOf("<!-- end -->", begin)).split("\n", -1)) {
      String[] cells = line.split("\\|", -1);
      if (cells.length == 4 && ROLES.contains(cells[1].strip())) {
        for (String path : cells[2].split(",", -1)) {
          table.put(path.replace("`", "").strip(), cells[1].strip());
        }
      }
    }
    assertThat(table).hasSizeGreaterThan(20);
    return table;
  }

  private static int port(ConfigurableApplicationContext controller) {
    return Objects.requireNonNull(((ServletWebServerApplicationContext) controller).getWebServer())
        .getPort();
  }

  private HttpResponse<String> ask(
      ConfigurableApplicationContext controller, Endpoint endpoint, @Nullable String token)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:%d%s".formatted(port(controller), endpoint.path)))
            .timeout(Duration.ofSeconds(30))
            .header("Content-Type", "application/json")
            .method(
                endpoint.method,
                endpoint.method.equals("GET")
                    ? BodyPublishers.noBody()
                    : BodyPublishers.ofString("[]"));
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    return http.send(request.build(), BodyHandlers.ofString());
  }
}
