package io.kvmesh.controller.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Bad input is a 4xx that says what is wrong, never a 500, and harms nobody after it. */
@ResourceLock(RestFixture.SHARED)
@SpringBootTest(
    classes = RestFixture.class,
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = "spring.config.name=controller")
class BadRequestTest {

  private static final int MIB = 1 << 20;

  @LocalServerPort private int port;
  private RestClient client;

  @BeforeEach
  void connect() {
    client = new RestClient(port);
  }

  @AfterEach
  void stillServes() throws Exception {
    assertThat(client.get("/api/v1/workers").status()).isEqualTo(200);
    assertThat(client.get("/actuator/health/liveness").status()).isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"hashes\":[1.0]}          | hashes[0]  | whole number",
        "{\"hashes\":[1e3]}          | hashes[0]  | whole number",
        "{\"hashes\":[true]}         | hashes[0]  | whole number",
        "{\"hashes\":[1,null]}       | hashes[1]  | whole number",
        "{\"hashes\":[[1]]}          | hashes[0]  | whole number",
        "{\"hashes\":[1,2,\"x\"]}    | hashes[2]  | whole number",
        "{\"hashes\":[\"\"]}         | hashes[0]  | whole number",
        "{\"hashes\":[\"0x\"]}       | hashes[0]  | whole number",
        "{\"hashes\":[\"0x-1\"]}     | hashes[0]  | whole number",
        "{\"hashes\":[18446744073709551616]}  | hashes[0] | 2^64-1",
        "{\"hashes\":[-9223372036854775809]}  | hashes[0] | -2^63",
        "{\"hashes\":[\"0x1ffffffffffffffff\"]} | hashes[0] | 2^64-1",
        "{\"hashes\":5}              | hashes     | list",
        "{\"hashes\":\"1\"}          | hashes     | list",
        "{\"hashes\":[]}             | hashes     | at least one",
        "{\"keys\":[]}               | keys       | at least one",
        "{\"keys\":[\"nonsense\"]}   | keys[0]    | nonsense",
        "{\"keys\":[7]}              | keys[0]    | string",
        "{}                          | hashes     | either",
        "{\"hashes\":[1],\"keys\":[\"m@1@0@1@half\"]} | hashes | either",
        "{\"hashes\":[1],\"tokens\":[1]} | hashes   | either",
        "{\"tokens\":[]}             | tokens     | at least one",
        "{\"tokens\":[1,-5]}         | tokens[1]  | at least 0",
        "{\"tokens\":[null]}         | tokens[0]  | at least 0",
        "{\"tokens\":[1.5]}          | tokens[0]  | whole number",
        "{\"tokens\":[\"1\"]}        | tokens[0]  | whole number",
        "{\"tokens\":[18446744073709551615]} | tokens[0] | whole number",
        "{\"hashes\":[1],\"partialChunk\":true} | partialChunk | absent",
        "{\"hashes\":[1],\"keyspace\":\"m\"}  | keyspace | m",
        "{\"hashes\":[1],\"hash\":1} | hash       | not a field",
        "{\"hashes\":[1],\"keyspace\":5} | keyspace | string",
        "[]                          | body       | object",
        "5                           | body       | object",
      })
  void wrongFields_areNamed(String body, String field, String rule) throws Exception {
    for (String path : new String[] {"/api/v1/lookup", "/api/v1/holders", "/api/v1/scores"}) {
      RestClient.Answer answer = client.post(path, body);

      assertProblem(answer, 400);
      assertThat(answer.at("/field").asString()).isEqualTo(field);
      assertThat(answer.at("/detail").asString()).contains(rule);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"hashes\":[1],\"rank\":-1}        | rank",
        "{\"hashes\":[1],\"rank\":\"0\"}     | rank",
        "{\"hashes\":[1],\"rank\":1.5}       | rank",
        "{\"hashes\":[1],\"rank\":99999999999} | rank",
        "{\"hashes\":[1],\"instanceId\":\"a/b\"} | instanceId",
        "{\"hashes\":[1],\"instanceId\":\"\"}  | instanceId",
        "{\"hashes\":[1],\"instanceId\":[]}    | instanceId",
        "{\"keys\":[\"m@1@0@1@half\",\"n@1@0@1@half\"]} | keys[1]",
        "{\"keys\":[\"m@1@0@1@half\"],\"keyspace\":\"m@1@0@half\"} | keyspace",
      })
  void wrongAskers_areNamed(String body, String field) throws Exception {
    RestClient.Answer answer = client.post("/api/v1/lookup", body);

    assertProblem(answer, 400);
    assertThat(answer.at("/field").asString()).isEqualTo(field);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"hashes\":[1],\"limit\":0}      | limit",
        "{\"hashes\":[1],\"limit\":10001}  | limit",
        "{\"hashes\":[1],\"oneRank\":\"x\"}  | oneRank",
        "{\"hashes\":[1],\"rank\":0}       | rank",
      })
  void wrongScores_areNamed(String body, String field) throws Exception {
    RestClient.Answer answer = client.post("/api/v1/scores", body);

    assertProblem(answer, 400);
    assertThat(answer.at("/field").asString()).isEqualTo(field);
  }

  @Test
  void tooManyTokens_are413() throws Exception {
    String tokens = "1,".repeat(4 * RestFixture.MAX_HASHES) + "1";

    assertProblem(client.post("/api/v1/lookup", "{\"tokens\":[" + tokens + "]}"), 413);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{", "{\"hashes\":[1]} x", "nope", "null", "{\"hashes\":[1],}"})
  void noJson_isRefused(String body) throws Exception {
    assertProblem(client.post("/api/v1/lookup", body), 400);
    assertProblem(client.post("/api/v1/holders", body), 400);
  }

  @Test
  void numberOfAThousandDigitsAndDeepNesting_areRefused() throws Exception {
    assertProblem(client.post("/api/v1/lookup", "{\"hashes\":[" + "9".repeat(5000) + "]}"), 400);
    assertProblem(client.post("/api/v1/lookup", "{\"hashes\":" + "[".repeat(50_000) + "}"), 400);
  }

  @Test
  void tooManyHashes_are413() throws Exception {
    String hashes =
        IntStream.rangeClosed(0, RestFixture.MAX_HASHES)
            .mapToObj(String::valueOf)
            .collect(Collectors.joining(","));

    RestClient.Answer answer = client.post("/api/v1/lookup", "{\"hashes\":[" + hashes + "]}");

    assertProblem(answer, 413);
    assertThat(answer.at("/detail").asString()).contains("1001").contains("at most 1000");
  }

  @Test
  void bodyOf50MiB_is413WithAndWithoutALength() throws Exception {
    byte[] body = new byte[50 * MIB];
    java.util.Arrays.fill(body, (byte) ' ');
    for (String path : new String[] {"/api/v1/lookup", "/api/v1/commands/clear"}) {
      assertProblem(
          client.send("POST", path, "application/json", BodyPublishers.ofByteArray(body)), 413);
      assertProblem(
          client.send(
              "POST",
              path,
              "application/json",
              BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body))),
          413);
    }
  }

  @Test
  void wrongContentType_is415() throws Exception {
    for (String path :
        new String[] {"/api/v1/lookup", "/api/v1/holders", "/api/v1/commands/clear"}) {
      assertProblem(
          client.send("POST", path, "text/plain", BodyPublishers.ofString("{\"hashes\":[1]}")),
          415);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "PUT,/api/v1/workers",
    "DELETE,/api/v1/workers/A/0",
    "GET,/api/v1/lookup",
    "GET,/api/v1/holders",
    "POST,/api/v1/keys/stats",
    "PUT,/api/v1/commands/clear"
  })
  void wrongMethod_is405(String method, String path) throws Exception {
    assertProblem(client.send(method, path, null, BodyPublishers.noBody()), 405);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/v1/workers/unknown/0",
        "/api/v1/workers/A/7",
        "/api/v1/instances/unknown",
        "/api/v1/workers/unknown/0/applied?epoch=1&sequence=1&timeoutMillis=0",
        "/api/v1/nothing",
        "/nothing",
        "/",
        "/actuator/env",
        "/actuator/heapdump",
        "/actuator/configprops",
        "/actuator/threaddump",
        "/actuator/loggers",
        "/actuator/beans"
      })
  void unknown_is404(String path) throws Exception {
    assertProblem(client.get(path), 404);
  }

  @Test
  void shutdown_isNotThere() throws Exception {
    assertProblem(client.post("/actuator/shutdown", ""), 404);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/api/v1/workers/A/x                                          | rank",
        "/api/v1/workers/A/-1                                         | rank",
        "/api/v1/workers/A/99999999999                                | rank",
        "/api/v1/workers/A/0/applied?epoch=x&sequence=1               | epoch",
        "/api/v1/workers/A/0/applied?epoch=-1&sequence=1              | epoch",
        "/api/v1/workers/A/0/applied?epoch=1&sequence=-1              | sequence",
        "/api/v1/workers/A/0/applied?epoch=1&sequence=1.5             | sequence",
        "/api/v1/workers/A/0/applied?epoch=1&sequence=1&timeoutMillis=-1      | timeoutMillis",
        "/api/v1/workers/A/0/applied?epoch=1&sequence=1&timeoutMillis=5001    | timeoutMillis",
        "/api/v1/workers/A/0/applied?epoch=1&sequence=99999999999999999999    | sequence",
      })
  void wrongParameters_areNamed(String path, String field) throws Exception {
    RestClient.Answer answer = client.get(path);

    assertProblem(answer, 400);
    assertThat(answer.at("/field").asString()).isEqualTo(field);
  }

  @Test
  void missingParameter_isNamed() throws Exception {
    RestClient.Answer answer = client.get("/api/v1/workers/A/0/applied?epoch=1");

    assertProblem(answer, 400);
    assertThat(answer.at("/detail").asString()).contains("sequence");
  }

  @Test
  void noHttpAtAll_getsNoTraceAndLeavesTheServerAlone() throws Exception {
    for (String request :
        new String[] {
          "nonsense\r\n\r\n",
          "GET /api/v1/workers/a%2Fb/0 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
          "GET /api/v1/workers/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
          "GET /..%2f..%2fetc HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
          "GET /api/v1/workers/%00/0 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
          "GET /api/v1/workers?a=| HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
          "GET /version HTTP/1.1\r\nConnection: close\r\n\r\n",
        }) {
      String answer = raw(request);

      assertThat(answer).startsWith("HTTP/1.1 4").doesNotContain("Exception", "at org.");
      assertThat(answer).contains("application/problem+json", "\"status\":400");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"*/*", "application/*", "multipart/form-data", "a/b/c", "nonsense"})
  void contentTypeThatIsNone_is415(String type) throws Exception {
    for (String path : new String[] {"/lookup", "/api/v1/lookup", "/api/v1/commands/clear"}) {
      assertThat(
              request("POST " + path + " HTTP/1.1", "Content-Type: " + type, "Content-Length: 0"))
          .startsWith("HTTP/1.1 415")
          .contains("application/problem+json");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"nonsense", "a/b/c", ";;;", "application/json;q=2"})
  void acceptThatMakesNoSense_doesNotHideTheReason(String accept) throws Exception {
    for (String path : new String[] {"/nothing", "/api/v1/workers/A/x", "/api/v1/workers"}) {
      assertThat(request("GET " + path + " HTTP/1.1", "Accept: " + accept))
          .startsWith("HTTP/1.1 4")
          .contains("application/problem+json", "\"detail\":");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/v1/workers?instanceId=%ff",
        "/api/v1/workers?instanceId=%",
        "/api/v1/workers?%=%",
        "/controller/workers?instance_id=%zz",
        "/api/v1/events?kind=%ff"
      })
  void queryThatCannotBeDecoded_isRefused(String path) throws Exception {
    assertThat(request("GET " + path + " HTTP/1.1"))
        .startsWith("HTTP/1.1 400")
        .contains("application/problem+json", "percent-encoded");
  }

  @Test
  void formInTheBodyOfADelete_isPassedOver() throws Exception {
    assertProblem(
        client.send(
            "DELETE",
            "/api/v1/commands/unknown",
            "application/x-www-form-urlencoded",
            BodyPublishers.ofString("a=%zz")),
        404);
  }

  private String request(String first, String... headers) throws Exception {
    return raw(first + "\r\nHost: x\r\nConnection: close\r\n" + lines(headers) + "\r\n");
  }

  private static String lines(String... headers) {
    return Stream.of(headers).map(line -> line + "\r\n").collect(Collectors.joining());
  }

  @Test
  void clientThatWantsHtml_getsTheSameProblem() throws Exception {
    String answer =
        raw("GET /nothing HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\nConnection: close\r\n\r\n");

    assertThat(answer).startsWith("HTTP/1.1 404").doesNotContain("Whitelabel", "<html");
  }

  private String raw(String request) throws Exception {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static void assertProblem(RestClient.Answer answer, int status) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.contentType()).as(answer.text()).startsWith("application/problem+json");
    assertThat(answer.at("/status").asInt()).isEqualTo(status);
    assertThat(answer.text()).doesNotContain("Exception", "tools.jackson", "io.kvmesh", "\tat ");
  }
}
