package io.kvmesh.quickstart.fleet;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads JSON from the programs' management doors. Any thread. */
public final class Http {

  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final JsonMapper JSON = JsonMapper.shared();

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(TIMEOUT).build();

  /** What is there; empty if nothing answers, the status isn't 200 or it isn't JSON. */
  public Optional<JsonNode> get(String address, String path) throws InterruptedException {
    return send(HttpRequest.newBuilder(uri(address, path)));
  }

  /** What a JSON body is answered with; empty as for {@link #get}. */
  public Optional<JsonNode> post(String address, String path, JsonNode body)
      throws InterruptedException {
    return send(
        HttpRequest.newBuilder(uri(address, path))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body.toString())));
  }

  private Optional<JsonNode> send(HttpRequest.Builder request) throws InterruptedException {
    try {
      HttpResponse<byte[]> response =
          client.send(request.timeout(TIMEOUT).build(), HttpResponse.BodyHandlers.ofByteArray());
      return response.statusCode() == 200
          ? Optional.of(JSON.readTree(response.body()))
          : Optional.empty();
    } catch (IOException | JacksonException e) {
      return Optional.empty();
    }
  }

  private static URI uri(String address, String path) {
    return URI.create("http://" + address + path);
  }
}
