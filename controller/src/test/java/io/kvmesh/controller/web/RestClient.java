package io.kvmesh.controller.web;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Sends what a test says, well-formed or not. */
final class RestClient {

  private final HttpClient http =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(30)).build();
  private final JsonMapper json = new JsonMapper();
  private final String base;

  RestClient(int port) {
    this.base = "http://127.0.0.1:" + port;
  }

  /** An answer; the body is parsed if it is JSON. */
  record Answer(int status, String contentType, String text, Optional<JsonNode> json) {

    JsonNode at(String pointer) {
      return json.orElseThrow().at(pointer);
    }
  }

  Answer get(String path) throws IOException, InterruptedException {
    return send("GET", path, null, BodyPublishers.noBody());
  }

  Answer post(String path, String body) throws IOException, InterruptedException {
    return send("POST", path, "application/json", BodyPublishers.ofString(body));
  }

  Answer send(String method, String path, @Nullable String contentType, BodyPublisher body)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + path))
            .timeout(Duration.ofSeconds(60))
            .method(method, body);
    if (contentType != null) {
      request.header("Content-Type", contentType);
    }
    HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
    String type = response.headers().firstValue("Content-Type").orElse("");
    return new Answer(
        response.statusCode(),
        type,
        response.body(),
        type.contains("json") ? Optional.of(json.readTree(response.body())) : Optional.empty());
  }
}
