package io.kvmesh.controller.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import tools.jackson.databind.JsonNode;

/** The OpenAPI document says of every resource what it takes and answers. */
@ResourceLock(RestFixture.SHARED)
@SpringBootTest(
    classes = RestFixture.class,
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = "spring.config.name=controller")
class OpenApiTest {

  @LocalServerPort private int port;

  @Autowired
  @Qualifier("requestMappingHandlerMapping")
  private RequestMappingHandlerMapping mappings;

  private RestClient client;
  private JsonNode document;

  @BeforeEach
  void read() throws Exception {
    client = new RestClient(port);
    RestClient.Answer answer = client.get("/v3/api-docs");
    assertThat(answer.status()).isEqualTo(200);
    document = answer.json().orElseThrow();
  }

  @Test
  void document_namesEveryMappedEndpoint() {
    SortedSet<String> mapped = new TreeSet<>();
    mappings
        .getHandlerMethods()
        .forEach(
            (info, method) -> {
              if (method.getBeanType().getName().startsWith("io.kvmesh")) {
                mapped.addAll(endpoints(info));
              }
            });

    assertThat(documented()).hasSizeGreaterThan(10).containsExactlyElementsOf(mapped);
  }

  /** None of the page for errors, which answers to any method. */
  private static List<String> endpoints(RequestMappingInfo info) {
    List<String> found = new ArrayList<>();
    info.getMethodsCondition()
        .getMethods()
        .forEach(method -> info.getPatternValues().forEach(path -> found.add(method + " " + path)));
    return found;
  }

  private SortedSet<String> documented() {
    SortedSet<String> found = new TreeSet<>();
    for (Map.Entry<String, JsonNode> path : document.at("/paths").properties()) {
      for (Map.Entry<String, JsonNode> operation : path.getValue().properties()) {
        found.add(operation.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey());
      }
    }
    return found;
  }

  @Test
  void operationsParametersBodiesAndProblems_areDescribed() {
    List<String> silent = new ArrayList<>();
    for (Map.Entry<String, JsonNode> path : document.at("/paths").properties()) {
      for (Map.Entry<String, JsonNode> entry : path.getValue().properties()) {
        String name = entry.getKey() + " " + path.getKey();
        JsonNode operation = entry.getValue();
        require(operation.path("summary"), name, silent);
        for (JsonNode parameter : operation.path("parameters")) {
          require(parameter.path("description"), name + "?" + parameter.path("name"), silent);
        }
        if (operation.has("requestBody")) {
          require(operation.at("/requestBody/description"), name + " body", silent);
          require(operation.at("/responses/400/description"), name + " 400", silent);
          require(operation.at("/responses/413/description"), name + " 413", silent);
        }
        require(operation.at("/responses/503/description"), name + " 503", silent);
      }
    }

    assertThat(silent).isEmpty();
  }

  @Test
  void fields_areDescribed() {
    List<String> silent = new ArrayList<>();
    for (Map.Entry<String, JsonNode> schema : document.at("/components/schemas").properties()) {
      if (!isOurs(schema.getKey())) {
        continue;
      }
      for (Map.Entry<String, JsonNode> field : schema.getValue().path("properties").properties()) {
        if (!field.getValue().has("$ref")) {
          require(
              field.getValue().path("description"), schema.getKey() + "." + field.getKey(), silent);
        }
      }
    }

    assertThat(silent).isEmpty();
    assertThat(document.at("/components/schemas/Problem/properties/rule").isMissingNode())
        .isFalse();
    assertThat(document.toString()).doesNotContain("\"bits\"");
  }

  /** The fields of LMCache's bodies and of commands have texts as far as they are known. */
  private static boolean isOurs(String schema) {
    return !schema.contains(".lmcache.") && !schema.contains(".Command");
  }

  private static void require(JsonNode text, String name, List<String> silent) {
    if (text.asString("").isBlank()) {
      silent.add(name);
    }
  }

  @Test
  void page_isServed() throws Exception {
    RestClient.Answer page = client.get("/swagger-ui/index.html");

    assertThat(page.status()).isEqualTo(200);
    assertThat(page.text()).contains("swagger-ui");
    assertThat(client.get("/swagger-ui/swagger-initializer.js").text()).contains("/v3/api-docs");
  }
}
