package io.kvmesh.cli;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One controller's REST. Any thread. */
final class Api {

  private static final JsonMapper JSON = JsonMapper.shared();

  private final HttpClient client;
  private final String url;
  private final String token;
  private final Duration timeout;

  /**
   * @param url of the controller, without a path
   * @param token that it asks for; empty = none
   * @param trust which certificates are good
   * @param timeout of each request
   */
  Api(String url, String token, SSLContext trust, Duration timeout) {
    this.token = token;
    this.url = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    this.timeout = timeout;
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(timeout)
            .sslContext(trust)
            .build();
  }

  String url() {
    return url;
  }

  /**
   * An answer.
   *
   * @param status as it came: 503 is one under which a controller tells of its own state
   * @param date of the controller's clock, to the second
   */
  record Answer(int status, JsonNode body, Optional<Instant> date) {}

  /** What is there. */
  JsonNode get(String path) throws ApiException, InterruptedException {
    return good(send("GET", path, null, timeout));
  }

  /** What is there, whatever the status. */
  Answer look(String path) throws ApiException, InterruptedException {
    return send("GET", path, null, timeout);
  }

  /** What a request is answered with; it may take {@code work} longer than others. */
  JsonNode post(String path, JsonNode body, Duration work)
      throws ApiException, InterruptedException {
    return good(send("POST", path, body, timeout.plus(work)));
  }

  /** What the end of something is answered with; it may take {@code work} longer than others. */
  JsonNode delete(String path, Duration work) throws ApiException, InterruptedException {
    return good(send("DELETE", path, null, timeout.plus(work)));
  }

  private static JsonNode good(Answer answer) throws ApiException {
    boolean isGood = answer.status() >= 200 && answer.status() <= 299;
    if (!isGood && !isCommand(answer)) {
      String detail = answer.body().path("detail").asString("");
      String reason = detail.isEmpty() ? answer.body().toString() : detail;
      throw new ApiException.Refused(answer.status(), reason);
    }
    return answer.body();
  }

  /** A command that failed is answered 502 with the command. */
  private static boolean isCommand(Answer answer) {
    return answer.body().has("command") && answer.body().has("workers");
  }

  private Answer send(String method, String path, @Nullable JsonNode body, Duration limit)
      throws ApiException, InterruptedException {
    HttpRequest.Builder request = request(path).timeout(limit);
    if (body == null) {
      request.method(method, HttpRequest.BodyPublishers.noBody());
    } else {
      request
          .header("Content-Type", "application/json")
          .method(method, HttpRequest.BodyPublishers.ofString(body.toString()));
    }
    try {
      HttpResponse<String> response =
          client.send(request.build(), HttpResponse.BodyHandlers.ofString());
      return new Answer(response.statusCode(), json(response.body()), date(response));
    } catch (HttpConnectTimeoutException e) {
      throw ApiException.Unreachable.notSent(
          url, "no connection within " + timeout.toSeconds() + " s");
    } catch (HttpTimeoutException e) {
      throw ApiException.Unreachable.sent(url, "no answer within " + limit.toSeconds() + " s");
    } catch (ConnectException e) {
      throw ApiException.Unreachable.notSent(url, "nothing answers there");
    } catch (JacksonException e) {
      throw ApiException.Unreachable.sent(url + path, "answers, but not in JSON");
    } catch (SSLException e) {
      throw noTls(e);
    } catch (IOException e) {
      throw ApiException.Unreachable.sent(url, String.valueOf(e.getMessage()));
    }
  }

  /** Nothing is sent before both sides agree on TLS. */
  private ApiException noTls(SSLException e) {
    return ServerTrust.BadCertificateException.in(e)
        .map(bad -> ApiException.Unreachable.badCertificate(url, bad))
        .orElseGet(
            () ->
                ApiException.Unreachable.notSent(
                    url, "no TLS with what answers there (%s)".formatted(e.getMessage())));
  }

  private HttpRequest.Builder request(String path) throws ApiException {
    HttpRequest.Builder request;
    try {
      request = HttpRequest.newBuilder(URI.create(url + path)).header("Accept", "application/json");
    } catch (IllegalArgumentException e) {
      throw ApiException.Unreachable.notSent(url, "is not the address of a controller");
    }
    try {
      return token.isEmpty() ? request : request.header("Authorization", "Bearer " + token);
    } catch (IllegalArgumentException e) {
      throw ApiException.Unreachable.notSent(url, "can't be sent a token with such characters");
    }
  }

  private static JsonNode json(String body) {
    return body.isBlank() ? JSON.createObjectNode() : JSON.readTree(body);
  }

  private static Optional<Instant> date(HttpResponse<?> response) {
    try {
      return response
          .headers()
          .firstValue("Date")
          .map(it -> ZonedDateTime.parse(it, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant());
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }
}
