package io.kvmesh.agent.config;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvmesh.agent.AgentApplication;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.AntPathMatcher;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;

/** Every path of an agent that asks who is asking, against the README's table of roles. */
@Timeout(120)
class AccessIT {

  private static final List<String> ROLES = List.of("open", "read", "operate", "admin");
  private static final Set<Integer> REFUSALS = Set.of(401, 403);

  private final HttpClient http = HttpClient.newHttpClient();
  private final AntPathMatcher matcher = new AntPathMatcher();

  @TempDir private Path dir;

  private record Endpoint(String method, String path) {}

  private static ConfigurableApplicationContext start(Path tokens, String... more) {
    List<String> arguments =
        List.of(
            "--server.port=0",
            "--server.address=127.0.0.1",
            "--kvmesh.instance-id=a",
            "--kvmesh.advertise-loopback=true",
            "--kvmesh.model.name=m",
            "--kvmesh.model.page-bytes=4096B",
            "--kvmesh.cache.capacity-bytes=1MB",
            "--kvmesh.kafka.bootstrap-servers=127.0.0.1:1",
            "--kvmesh.peer.init-bind=tcp://127.0.0.1:0",
            "--kvmesh.peer.lookup-bind=tcp://127.0.0.1:0",
            "--kvmesh.control.bind=tcp://127.0.0.1:0",
            "--kvmesh.engine.bind=tcp://127.0.0.1:0",
            "--kvmesh.access.tokens-file=" + tokens);
    return AgentApplication.start(
        Stream.concat(arguments.stream(), Stream.of(more)).toArray(String[]::new));
  }

  private static String token(String role) {
    return "a-token-that-may-" + role;
  }

  private Path tokens() throws IOException {
    return Files.write(
        dir.resolve("tokens"),
        ROLES.stream().skip(1).map(role -> role + " " + token(role)).toList());
  }

  /** Also of an endpoint that is no agent's by default, and that shows secrets. */
  @Test
  void everyPath_isForTheRolesOfTheReadmeAlone() throws Exception {
    Map<String, String> table = table();
    try (ConfigurableApplicationContext agent =
        start(tokens(), "--management.endpoints.web.exposure.include=*")) {
      List<Endpoint> endpoints = endpoints(agent);
      assertThat(endpoints)
          .hasSizeGreaterThan(12)
          .contains(
              new Endpoint("GET", "/actuator/chunks/x"), new Endpoint("GET", "/actuator/env"));
      for (Endpoint endpoint : endpoints) {
        int needed = ROLES.indexOf(needed(table, endpoint));
        for (String role : ROLES) {
          @Nullable String token = role.equals("open") ? null : token(role);
          int status = ask(agent, endpoint, token).statusCode();
          assertThat(REFUSALS.contains(status))
              .as("%s as %s: %d", endpoint, role, status)
              .isEqualTo(ROLES.indexOf(role) < needed);
        }
        if (needed > 0) {
          assertThat(ask(agent, endpoint, "a-token-that-nobody-has").statusCode())
              .as("%s with a wrong token", endpoint)
              .isEqualTo(401);
        }
      }
    }
  }

  @Test
  void refusals_sayWhy_andAreCounted() throws Exception {
    try (ConfigurableApplicationContext agent = start(tokens())) {
      HttpResponse<String> nobody = ask(agent, new Endpoint("GET", "/actuator/agent"), null);
      HttpResponse<String> reader =
          ask(agent, new Endpoint("POST", "/actuator/agent"), token("read"));

      assertThat(nobody.statusCode()).isEqualTo(401);
      assertThat(nobody.headers().firstValue("WWW-Authenticate")).hasValue("Bearer");
      assertThat(nobody.body())
          .isEqualTo("{\"error\":\"needs a bearer token of kvmesh.access.tokens-file\"}");
      assertThat(reader.statusCode()).isEqualTo(403);
      assertThat(reader.body()).contains("higher role");
      for (String odd : List.of("/actuator/agent/../env", "/actuator//env", "/actuator;a/env")) {
        assertThat(ask(agent, new Endpoint("GET", odd), token("read")).statusCode())
            .as(odd)
            .isBetween(400, 499);
      }
      assertThat(ask(agent, new Endpoint("GET", "/actuator/prometheus"), token("read")).body())
          .contains("kvmesh_agent_access_refused_total{reason=\"unauthenticated\"} 1.0")
          .containsPattern("kvmesh_agent_access_refused_total\\{reason=\"forbidden\"} [1-9]");
    }
  }

  @Test
  void aFileThatIsntOne_isRefusedAtStart() throws Exception {
    Path file = Files.writeString(dir.resolve("bad"), "reed a-token-that-is-long-enough\n");
    assertThatThrownBy(() -> start(file))
        .hasStackTraceContaining("access.tokens-file")
        .hasStackTraceContaining("line 1 must be read, operate or admin");
  }

  private static List<Endpoint> endpoints(ConfigurableApplicationContext agent) {
    return agent.getBeansOfType(RequestMappingInfoHandlerMapping.class).values().stream()
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
    String readme = Files.readString(Path.of("..", "README.md"));
    int begin = readme.indexOf("<!-- table: agent-access -->");
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
    assertThat(table).hasSizeGreaterThan(5);
    return table;
  }

  private HttpResponse<String> ask(
      ConfigurableApplicationContext agent, Endpoint endpoint, @Nullable String token)
      throws IOException, InterruptedException {
    String port = requireNonNull(agent.getEnvironment().getProperty("local.server.port"));
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + endpoint.path))
            .timeout(Duration.ofSeconds(30))
            .header("Content-Type", "application/json")
            .method(
                endpoint.method,
                endpoint.method.equals("GET")
                    ? BodyPublishers.noBody()
                    : BodyPublishers.ofString("{}"));
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    return http.send(request.build(), BodyHandlers.ofString());
  }
}
