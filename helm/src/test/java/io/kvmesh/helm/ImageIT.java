package io.kvmesh.helm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.client.EngineBody;
import io.kvmesh.common.client.EngineClient;
import io.kvmesh.common.client.EngineClientSettings;
import io.kvmesh.common.client.RetrievedChunks;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.process.LoopbackPorts;
import io.kvmesh.common.wire.engine.StoreOutcome;
import io.kvmesh.common.zmq.ZmqSockets;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import tools.jackson.databind.JsonNode;

/**
 * What the images hold, started with what the chart renders: a controller and two agents, with a
 * real Kafka and Redis. One agent is given chunks, the other one brings them from there.
 */
@Tag("replay")
@Isolated("needs the whole machine")
@Timeout(300)
class ImageIT {

  private static final int PAGE_BYTES = 4096;
  private static final int CHUNKS = 32;
  private static final Duration START = Duration.ofMinutes(2);
  private static final Map<String, String> NODE =
      Map.of("NODE_NAME", "gpu-node-7", "POD_NAME", "agent-0", "POD_IP", "127.0.0.1");

  private final HttpClient http = HttpClient.newHttpClient();
  private final List<Process> started = new ArrayList<>();

  @TempDir private Path dir;

  private int kafka;
  private int redis;
  private int rest;
  private int reply;
  private int agents;

  @BeforeEach
  void startKafkaAndRedis() throws IOException {
    for (String module : List.of("controller", "worker-agent")) {
      assumeThat(archive(module)).as("mvn -Pimages,scratch package makes it").exists();
    }
    assumeThat(Containers.whyNot()).isEmpty();
    kafka = LoopbackPorts.free();
    redis = LoopbackPorts.free();
    rest = LoopbackPorts.free();
    reply = LoopbackPorts.free();
    embedded("KafkaMain", kafka);
    embedded("RedisMain", redis);
  }

  @AfterEach
  void endAll() throws InterruptedException {
    for (Process process : started.reversed()) {
      Containers.end(process);
    }
  }

  private static Path archive(String module) {
    return Path.of("..", module, "target", "jib-image.tar");
  }

  private void embedded(String program, int port) throws IOException {
    Path target = Path.of("..", "embedded", "target").toAbsolutePath();
    Path log = dir.resolve(program + ".log");
    started.add(
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xmx384m",
                "-cp",
                target.resolve("classes")
                    + ":"
                    + Files.readString(target.resolve("class-path.txt")),
                "io.kvmesh.embedded." + program,
                "--dir",
                dir.resolve(program).toString(),
                "--port",
                String.valueOf(port),
                "--parent-pid",
                String.valueOf(ProcessHandle.current().pid()))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start());
    await().atMost(START).until(() -> Files.readString(log).contains("ready "));
  }

  /** A release of one controller and one pod with two agents of an instance each. */
  private List<JsonNode> objects() throws IOException {
    agents = freeBlock();
    Path values =
        Files.writeString(
            dir.resolve("values.yaml"),
            """
            bindHost: 127.0.0.1
            model: {name: m, pageBytes: "%d", chunkTokens: 16}
            kafka: {bootstrapServers: "127.0.0.1:%d"}
            redis: {uri: "redis://127.0.0.1:%d"}
            controller:
              replicas: 1
              javaOptions: -Xmx512m
              settings:
                server.port: "%d"
                kvmesh.zmq.reply-bind: tcp://127.0.0.1:%d
                kvmesh.advertise-loopback: "true"
            agents:
              gpusPerNode: 2
              ranksPerInstance: 1
              controllers: ["127.0.0.1:%d"]
              settings: {kvmesh.advertise-loopback: "true"}
              ports: {init: %d, lookup: %d, control: %d, engine: %d, management: %d, stride: 5}
              memory: {capacity: 16Mi, heap: 512Mi}
            """
                .formatted(
                    PAGE_BYTES,
                    kafka,
                    redis,
                    rest,
                    reply,
                    reply,
                    agents,
                    agents + 1,
                    agents + 2,
                    agents + 3,
                    agents + 4));
    return Chart.parse(Chart.text(Chart.DIRECTORY, values));
  }

  /** The first of ten ports in a row on which nothing listens. */
  private static int freeBlock() throws IOException {
    while (true) {
      int first = LoopbackPorts.free();
      try {
        for (int port = first + 1; port < first + 10; port++) {
          LoopbackPorts.requireFree(port, "an agent");
        }
        return first;
      } catch (IOException taken) {
        // Another block.
      }
    }
  }

  /** As the kubelet does: each key of a Secret is a file. */
  private static void mount(List<JsonNode> objects, String secret, Path folder) throws Exception {
    Files.createDirectories(folder);
    JsonNode data = Chart.only(objects, "Secret", secret).path("data");
    for (Map.Entry<String, JsonNode> file : data.properties()) {
      Files.write(
          folder.resolve(file.getKey()), Base64.getDecoder().decode(file.getValue().asString()));
    }
    OciImage.run(List.of("chown", "-R", "0:10001", folder.toString()));
    OciImage.run(List.of("chmod", "-R", "u=rX,g=rX,o=", folder.toString()));
  }

  @Test
  void programsOfTheImages_asTheChartStartsThem_bringChunksToEachOther() throws Exception {
    List<JsonNode> objects = objects();
    Containers containers = new Containers(Files.createDirectory(dir.resolve("node")));
    mount(objects, "fleet-kvmesh-curve", containers.secrets().resolve("curve"));
    mount(objects, "fleet-kvmesh-rest", containers.secrets().resolve("rest"));
    String token = Files.readString(containers.secrets().resolve("rest/read"));
    Process controller = start(containers, "controller", "controller", objects).getFirst();
    List<Process> both = start(containers, "worker-agent", "agent", objects);

    awaitReady(containers, "controller", controller, rest);
    awaitReady(containers, "agent-0", both.getFirst(), agents + 4);
    awaitReady(containers, "agent-1", both.getLast(), agents + 9);

    assertThat(status(agents + 4, "/actuator/agent", null)).isEqualTo(401);
    assertThat(status(agents + 4, "/actuator/agent", token)).isEqualTo(200);
    assertThat(status(rest, "/api/v1/workers", null)).isEqualTo(401);
    assertThat(status(rest, "/api/v1/workers", token)).isEqualTo(200);
    replay();
    assertThat(containers.memory()).isDirectoryContaining("glob:**fleet-kvmesh-1");
    for (Process agent : both) {
      assertThat(Containers.end(agent)).as("asked to end").isEqualTo(143);
    }
    assertThat(containers.memory()).isDirectoryNotContaining("glob:**[01]");
  }

  private List<Process> start(
      Containers containers, String module, String program, List<JsonNode> objects)
      throws Exception {
    OciImage image =
        OciImage.read(archive(module), Files.createDirectory(dir.resolve(module + "-image")));
    Path root = containers.root(image, module);
    List<Process> processes = new ArrayList<>();
    for (JsonNode container : Chart.containers(objects, program)) {
      Process process = containers.start(image, root, container, NODE);
      processes.add(process);
      started.add(process);
    }
    for (Process process : processes) {
      await().atMost(START).until(() -> !process.isAlive() || isProgram(process, image));
      assertThat(process.isAlive()).as(program).isTrue();
      checkClosed(process, root);
    }
    return processes;
  }

  private static boolean isProgram(Process process, OciImage image) throws IOException {
    List<String> words =
        Arrays.asList(
            Files.readString(Path.of("/proc/%d/cmdline".formatted(process.pid()))).split("\0", -1));
    return words.size() > image.entrypoint().size()
        && words.subList(0, image.entrypoint().size()).equals(image.entrypoint());
  }

  /** By what the system says of the process. */
  private static void checkClosed(Process process, Path root) throws IOException {
    Path proc = Path.of("/proc/" + process.pid());
    String status = Files.readString(proc.resolve("status"));
    assertThat(status)
        .contains("Uid:\t10001\t10001\t10001\t10001")
        .contains("Gid:\t10001\t10001\t10001\t10001")
        .contains("CapEff:\t0000000000000000");
    assertThat(proc.resolve("root/app/jib-classpath-file"))
        .hasSameBinaryContentAs(root.resolve("app/jib-classpath-file"));
    assertThat(Files.readString(proc.resolve("mountinfo")))
        .as("its root can't be written")
        .containsPattern(" / ro[, ]");
  }

  private void awaitReady(Containers containers, String name, Process process, int port)
      throws IOException {
    await()
        .atMost(START)
        .until(() -> !process.isAlive() || status(port, "/actuator/health/readiness", null) == 200);
    assertThat(process.isAlive()).as(Files.readString(containers.log(name))).isTrue();
  }

  /** 0 while nobody answers. */
  private int status(int port, String path, @Nullable String token)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    try {
      return http.send(request.build(), BodyHandlers.discarding()).statusCode();
    } catch (ConnectException e) {
      return 0;
    }
  }

  /** Chunks are stored at one agent, and then asked for at the other one, which has none. */
  private void replay() throws Exception {
    List<ChunkKey> keys =
        IntStream.range(0, CHUNKS)
            .mapToObj(i -> ChunkKey.parse("m@1@0@%x@bfloat16".formatted(0x1000 + i)))
            .toList();
    List<EngineBody> bodies =
        keys.stream()
            .map(key -> new EngineBody(key, MemorySegment.ofArray(body(key)), 16))
            .toList();
    try (ZmqSockets sockets = new ZmqSockets();
        EngineClient first = engine(sockets, agents + 3);
        EngineClient second = engine(sockets, agents + 8)) {
      assertThat(first.store(bodies, Duration.ofSeconds(10)).outcomes())
          .hasSize(CHUNKS)
          .containsOnly(StoreOutcome.STORED);
      await().atMost(START).until(() -> size(second, keys) == CHUNKS);
      try (RetrievedChunks chunks = second.retrieve(keys, Duration.ofSeconds(10))) {
        for (int i = 0; i < CHUNKS; i++) {
          byte[] body = new byte[PAGE_BYTES];
          chunks.body(i).get(body);
          assertThat(body).isEqualTo(body(keys.get(i)));
        }
      }
    }
  }

  private static int size(EngineClient engine, List<ChunkKey> keys) throws Exception {
    try (RetrievedChunks chunks = engine.retrieve(keys, Duration.ofSeconds(10))) {
      return chunks.size();
    }
  }

  private static EngineClient engine(ZmqSockets sockets, int port) throws Exception {
    return EngineClient.open(
        sockets, EngineClientSettings.of("tcp://127.0.0.1:" + port, "image-it"));
  }

  private static byte[] body(ChunkKey key) {
    byte[] body = new byte[PAGE_BYTES];
    Arrays.fill(body, (byte) key.toString().hashCode());
    return body;
  }
}
