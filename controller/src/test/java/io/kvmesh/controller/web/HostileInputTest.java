package io.kvmesh.controller.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Every operation of the OpenAPI document is given nonsense in each of its parameters and in each
 * field of its body, one at a time, so that a resource that comes later is given it too.
 */
@ResourceLock(RestFixture.SHARED)
@SpringBootTest(
    classes = RestFixture.class,
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = "spring.config.name=controller")
class HostileInputTest {

  /** Of every JSON type, so that some are wrong for each field. */
  private static final List<String> VALUES =
      List.of(
          "true",
          "-1",
          "1.5",
          "1e400",
          "99999999999999999999999",
          "\"\"",
          "\"\\u0000\\ud800/..\\n\"",
          "[]",
          "[null]",
          "[[[1]]]",
          "[-5]",
          "{}",
          "{\"a\":{\"a\":1}}",
          "null");

  private static final List<String> TEXTS =
      List.of(
          "", " ", "x", "-1", "1.5", "99999999999999999999", "\0", "\n", "ä€😀", "a,b", "'\"<>");

  private static final List<String> BODIES =
      List.of("", "{", "null", "[]", "[1]", "5", "\"x\"", "{\"no-such-field\":1}", "\0", "{}{}");

  /** What makes a request whole where the nonsense isn't. */
  private static final Map<String, String> GOOD =
      Map.of("instanceId", "A", "instance_id", "A", "rank", "0", "worker_id", "0", "worker", "A/0");

  private final JsonMapper json = new JsonMapper();
  private final SoftAssertions softly = new SoftAssertions();

  @LocalServerPort private int port;
  private RestClient client;
  private JsonNode document;
  private int requests;

  /** One operation. */
  private record Operation(String method, String path, JsonNode described) {

    List<JsonNode> parameters() {
      return described.path("parameters").valueStream().toList();
    }

    boolean hasBody() {
      return described.has("requestBody");
    }
  }

  @BeforeEach
  void read() throws Exception {
    client = new RestClient(port);
    document = client.get("/v3/api-docs").json().orElseThrow();
  }

  private List<Operation> operations() {
    List<Operation> all = new ArrayList<>();
    for (Map.Entry<String, JsonNode> path : document.at("/paths").properties()) {
      for (Map.Entry<String, JsonNode> operation : path.getValue().properties()) {
        String method = operation.getKey().toUpperCase(Locale.ROOT);
        all.add(new Operation(method, path.getKey(), operation.getValue()));
      }
    }
    assertThat(all).hasSizeGreaterThan(10);
    return all;
  }

  @Test
  void nonsenseInAParameter_isRefusedByItsName() throws Exception {
    for (Operation operation : operations()) {
      for (JsonNode parameter : operation.parameters()) {
        String name = parameter.path("name").asString();
        for (String text : TEXTS) {
          String body = operation.hasBody() ? "{}" : null;
          RestClient.Answer answer = send(operation, url(operation, name, text), body);
          String as = "%s %s with %s=%s".formatted(operation.method, operation.path, name, text);
          require(answer, as);
          if (isNoNumber(text, parameter.path("schema"))) {
            requireNamed(answer, name, as);
          }
        }
      }
    }
    end();
  }

  private static boolean isNoNumber(String text, JsonNode schema) {
    return Set.of("integer", "boolean").contains(schema.path("type").asString(""))
        && Set.of("x", "1.5", "99999999999999999999", "a,b").contains(text);
  }

  /** The operation's path and query; all parameters are good but the named one. */
  private static String url(Operation operation, String bad, String text) {
    String path = operation.path;
    StringBuilder query = new StringBuilder();
    for (JsonNode parameter : operation.parameters()) {
      String name = parameter.path("name").asString();
      String value = encode(name.equals(bad) ? text : GOOD.getOrDefault(name, "1"));
      if (parameter.path("in").asString().equals("path")) {
        path = path.replace("{" + name + "}", value);
      } else if (name.equals(bad) || parameter.path("required").asBoolean(false)) {
        query.append(query.isEmpty() ? '?' : '&').append(name).append('=').append(value);
      }
    }
    return path + query;
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  @Test
  void bodyThatIsNone_isRefused() throws Exception {
    for (Operation operation : operations()) {
      for (String body : operation.hasBody() ? BODIES : List.<String>of()) {
        RestClient.Answer answer = send(operation, url(operation, "", ""), body);
        require(answer, "%s %s of %s".formatted(operation.method, operation.path, body));
      }
    }
    end();
  }

  @Test
  void nonsenseInAField_isRefusedByItsName() throws Exception {
    for (Operation operation : operations()) {
      JsonNode schema =
          resolve(operation.described.at("/requestBody/content/application~1json/schema"));
      for (Map.Entry<String, JsonNode> field : schema.path("properties").properties()) {
        for (String value : VALUES) {
          String body = body(schema, field.getKey(), value);
          RestClient.Answer answer = send(operation, url(operation, "", ""), body);
          String as = "%s %s of %s".formatted(operation.method, operation.path, body);
          require(answer, as);
          if (isOfAnotherType(value, resolve(field.getValue()))) {
            requireNamed(answer, field.getKey(), as);
          }
        }
      }
    }
    end();
  }

  private static boolean isOfAnotherType(String value, JsonNode schema) {
    return switch (schema.path("type").asString("")) {
      case "string", "integer", "boolean" -> value.startsWith("[[") || value.startsWith("{\"");
      case "array" -> value.equals("1.5") || value.startsWith("{\"");
      case "object" -> value.equals("1.5") || value.startsWith("[[");
      default -> false;
    };
  }

  private JsonNode resolve(JsonNode schema) {
    String reference = schema.path("$ref").asString("");
    return reference.isEmpty() ? schema : document.at(reference.substring(1));
  }

  /** What is required is there and of its type; the named field has the value. */
  private String body(JsonNode schema, String bad, String value) {
    ObjectNode body = json.createObjectNode();
    for (JsonNode required : schema.path("required")) {
      String name = required.asString();
      body.set(name, example(name, resolve(schema.path("properties").path(name))));
    }
    body.remove(bad);
    String rest = body.toString().substring(1);
    return "{\"" + bad + "\":" + value + (rest.equals("}") ? "" : ",") + rest;
  }

  private JsonNode example(String name, JsonNode schema) {
    return switch (schema.path("type").asString("")) {
      case "integer" -> json.getNodeFactory().numberNode(1);
      case "array" -> json.createArrayNode().add(example("", resolve(schema.path("items"))));
      case "boolean" -> json.getNodeFactory().booleanNode(true);
      case "object" -> json.createObjectNode();
      default -> json.getNodeFactory().stringNode(GOOD.getOrDefault(name, "A"));
    };
  }

  private RestClient.Answer send(Operation operation, String url, @Nullable String body)
      throws Exception {
    requests++;
    return body == null
        ? client.send(operation.method, url, null, BodyPublishers.noBody())
        : client.send(operation.method, url, "application/json", BodyPublishers.ofString(body));
  }

  /** No fault of the controller's; and whoever is refused is told why, without a trace. */
  private void require(RestClient.Answer answer, String as) {
    softly.assertThat(answer.status()).as(as + ": " + answer.text()).isLessThan(500);
    if (answer.status() >= 400) {
      softly.assertThat(answer.contentType()).as(as).startsWith("application/problem+json");
      softly.assertThat(answer.at("/status").asInt()).as(as).isEqualTo(answer.status());
      softly.assertThat(answer.at("/detail").asString("")).as(as).isNotBlank();
      Stream.of("Exception", "tools.jackson", "io.kvmesh", "java.", "\tat ")
          .forEach(trace -> softly.assertThat(answer.text()).as(as).doesNotContain(trace));
    }
  }

  /** Field, value and rule are told. */
  private void requireNamed(RestClient.Answer answer, String name, String as) {
    softly.assertThat(answer.status()).as(as + ": " + answer.text()).isEqualTo(400);
    softly.assertThat(answer.at("/field").asString("")).as(as).startsWith(name);
    softly.assertThat(answer.at("/value").asString("")).as(as).isNotBlank();
    softly.assertThat(answer.at("/rule").asString("")).as(as).isNotBlank();
  }

  private void end() throws Exception {
    assertThat(client.get("/api/v1/workers").status()).isEqualTo(200);
    assertThat(requests).isGreaterThan(100);
    softly.assertAll();
  }
}
