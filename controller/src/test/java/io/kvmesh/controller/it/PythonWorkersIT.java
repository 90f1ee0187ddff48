package io.kvmesh.controller.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvmesh.common.process.LoopbackPorts;
import io.kvmesh.embedded.EmbeddedKafka;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A controller in a process of its own and workers that know nothing but libzmq's sockets and
 * LMCache's messages.
 */
@Timeout(180)
class PythonWorkersIT {

  private static final String PYTHON = "/usr/bin/python3";
  private static final String HASHES = "3014082381777974454,11333758405563688129";
  private static final Duration WAIT = Duration.ofSeconds(60);

  @TempDir private static Path folder;
  private static final List<Process> PROCESSES = new ArrayList<>();
  private static EmbeddedKafka kafka;
  private static String rest;
  private final HttpClient http = HttpClient.newHttpClient();
  private final JsonMapper json = new JsonMapper();

  @BeforeAll
  static void start() throws Exception {
    assumeTrue(
        Files.isExecutable(Path.of(PYTHON))
            && new ProcessBuilder(PYTHON, "-c", "import zmq, msgpack").start().waitFor() == 0,
        "skipped, needs " + PYTHON + " with zmq and msgpack (python3-zmq, python3-msgpack)");
    try (InputStream program = PythonWorkersIT.class.getResourceAsStream("rep_worker.py")) {
      Files.copy(Objects.requireNonNull(program), folder.resolve("rep_worker.py"));
    }
    kafka = EmbeddedKafka.start(folder.resolve("kafka"), 0);
    int port = LoopbackPorts.free();
    rest = "http://127.0.0.1:" + port;
    PROCESSES.add(
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElse("java"),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "io.kvmesh.controller.ControllerApplication",
                "--server.port=" + port,
                "--kvmesh.parent-pid=" + ProcessHandle.current().pid(),
                "--kvmesh.cluster=python",
                "--kvmesh.kafka.bootstrap-servers=" + kafka.bootstrapServers(),
                "--kvmesh.kafka.partitions=1",
                "--kvmesh.zmq.pull-bind=tcp://127.0.0.1:0",
                "--kvmesh.zmq.reply-bind=tcp://127.0.0.1:0",
                "--kvmesh.command.timeout=2s",
                "--kvmesh.hash.algorithm=sha256_cbor",
                "--kvmesh.hash.chunk-tokens=4")
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("controller.log").toFile())
            .start());
  }

  @AfterAll
  static void stop() throws Exception {
    for (Process process : PROCESSES) {
      process.destroyForcibly().waitFor();
    }
    if (kafka != null) {
      kafka.close();
    }
  }

  @Test
  void lmcachesResources_reachPlainWorkers() throws Exception {
    await().atMost(WAIT).ignoreExceptions().until(this::isReady);
    JsonNode doors = get("/actuator/info").at("/doors");
    Worker a0 = worker(doors, "A", 0);
    Worker a1 = worker(doors, "A", 1);
    Worker b0 = worker(doors, "B", 0);
    worker(doors, "B", 1);
    await()
        .atMost(WAIT)
        .until(() -> get("/controller/key-stats").at("/total_key_count").asLong() == 8);

    assertThat(post("/lookup", "{\"tokens\":[1,2,3,4,5,6,7,8,9]}").at("/layout_info"))
        .hasToString("{\"A\":[\"LocalCPUBackend\",8],\"B\":[\"LocalCPUBackend\",8]}");
    assertThat(post("/query_instance", "{\"ip\":\"127.0.0.1\"}").at("/res").asString())
        .isEqualTo("A");
    JsonNode pin = post("/pin", "{\"instance_id\":\"A\",\"location\":\"L\",\"tokens\":[1,2,3]}");
    assertThat(pin.at("/num_tokens").asLong()).as(pin.toString()).isEqualTo(3);
    String pinned = pin.at("/event_id").asString();
    assertThat(a0.told())
        .hasToString(
            "{\"type\":\"PinWorkerMsg\",\"worker_event_id\":\"Worker0%s\",\"location\":\"L\",\"tokens\":[1,2,3]}"
                .formatted(pinned));
    assertThat(a1.told().at("/worker_event_id").asString()).isEqualTo("Worker1" + pinned);
    JsonNode move =
        post(
            "/move",
            "{\"old_position\":[\"A\",\"L\"],\"new_position\":[\"B\",\"M\"],\"tokens\":[5]}");
    assertThat(move.at("/num_tokens").asLong()).as(move.toString()).isEqualTo(1);
    JsonNode moved = a1.told();
    assertThat(moved.at("/new_position")).hasToString("[\"peer-B:1\",\"M\"]");
    assertThat(moved.at("/copy").asBoolean()).isFalse();
    assertThat(post("/health", "{\"instance_id\":\"A\"}").at("/error_codes"))
        .hasToString("{\"0\":0,\"1\":0}");
    JsonNode compress =
        post("/compress", "{\"instance_id\":\"B\",\"location\":\"L\",\"method\":\"cachegen\"}");
    assertThat(compress.at("/status").asInt()).isEqualTo(502);
    assertThat(compress.at("/detail").asString()).contains("Worker error: CompressWorkerMsg");
    assertThat(b0.told().at("/tokens")).hasToString("[]");

    a1.process.destroyForcibly().waitFor();

    assertThat(post("/health", "{\"instance_id\":\"A\"}").at("/error_codes"))
        .hasToString("{\"0\":0,\"1\":-1004}");
    JsonNode partial = post("/api/v1/commands/clear", "{\"instanceId\":\"A\"}");
    assertThat(partial.at("/state").asString()).isEqualTo("PARTIAL");
    assertThat(partial.at("/tokens").asLong()).isEqualTo(8);
    assertThat(partial.at("/workers/1/status").asString()).isEqualTo("UNREACHABLE");
    assertThat(
            post("/check_finish", "{\"event_id\":" + partial.at("/id") + "}")
                .at("/status")
                .asString())
        .isEqualTo("failed");
  }

  private boolean isReady() throws Exception {
    return get("/actuator/health/readiness").at("/status").asString().equals("UP");
  }

  private JsonNode get(String path) throws Exception {
    return send(HttpRequest.newBuilder(URI.create(rest + path)).timeout(WAIT).build());
  }

  private JsonNode post(String path, String body) throws Exception {
    return send(
        HttpRequest.newBuilder(URI.create(rest + path))
            .timeout(WAIT)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build());
  }

  private JsonNode send(HttpRequest request) throws Exception {
    return json.readTree(http.send(request, HttpResponse.BodyHandlers.ofString()).body());
  }

  private Worker worker(JsonNode doors, String instance, int rank) throws Exception {
    Process process =
        new ProcessBuilder(
                PYTHON,
                folder.resolve("rep_worker.py").toString(),
                "127.0.0.1:" + doors.at("/reply").asInt(),
                "127.0.0.1:" + doors.at("/pull").asInt(),
                instance,
                String.valueOf(rank),
                HASHES)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    PROCESSES.add(process);
    Worker worker = new Worker(process, process.inputReader(StandardCharsets.UTF_8), json);
    assertThat(worker.told().at("/type").asString()).isEqualTo("RegisterRetMsg");
    return worker;
  }

  /** A worker's process and what it tells. */
  private record Worker(Process process, BufferedReader output, JsonMapper json) {

    /** The next that it tells. */
    JsonNode told() throws IOException {
      return json.readTree(Objects.requireNonNull(output.readLine()));
    }
  }
}
