package io.kvmesh.agent.config;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.AgentApplication;
import io.kvmesh.agent.cache.Keeping;
import io.kvmesh.agent.directory.FakeController;
import io.kvmesh.agent.ops.AgentEndpoint;
import io.kvmesh.agent.transfer.ChannelTraffic;
import io.kvmesh.agent.transfer.RawClient;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.process.LoopbackPorts;
import io.kvmesh.common.wire.Message;
import io.kvmesh.common.wire.control.MoveOutcome;
import io.kvmesh.common.wire.control.MoveWorkerMsg;
import io.kvmesh.common.wire.control.MoveWorkerRetMsg;
import io.kvmesh.common.wire.control.WorkerPosition;
import io.kvmesh.common.wire.directory.BatchedP2PLookupMsg;
import io.kvmesh.common.wire.directory.BatchedP2PLookupRetMsg;
import io.kvmesh.common.wire.directory.DirectoryRequest;
import io.kvmesh.common.wire.directory.HeartbeatMsg;
import io.kvmesh.common.wire.directory.HeartbeatRetMsg;
import io.kvmesh.common.wire.directory.PeerLayout;
import io.kvmesh.common.wire.engine.EngineRetrieveMsg;
import io.kvmesh.common.wire.engine.EngineRetrieveRetMsg;
import io.kvmesh.common.wire.engine.EngineStoreMsg;
import io.kvmesh.common.wire.engine.EngineStoreRetMsg;
import io.kvmesh.common.wire.engine.OpenSessionMsg;
import io.kvmesh.common.wire.engine.OpenSessionRetMsg;
import io.kvmesh.common.wire.engine.StoreOutcome;
import io.kvmesh.common.zmq.CurveKeys;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.embedded.EmbeddedKafka;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

/** The whole program, with and without the log. */
@Timeout(180)
class AgentIT {

  private static final int PAGE = 4096;
  private static final String LOCATION = "LocalCPUBackend";
  private static final String NO_KAFKA = "127.0.0.1:1";

  private static String[] arguments(String instance, String kafka, String... more) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--server.port=0",
                "--server.address=127.0.0.1",
                "--kvmesh.instance-id=" + instance,
                "--kvmesh.advertise-loopback=true",
                "--kvmesh.model.name=m",
                "--kvmesh.model.chunk-tokens=16",
                "--kvmesh.model.page-bytes=" + PAGE + "B",
                "--kvmesh.cache.capacity-bytes=1MB",
                "--kvmesh.kafka.bootstrap-servers=" + kafka,
                "--kvmesh.peer.init-bind=tcp://127.0.0.1:0",
                "--kvmesh.peer.lookup-bind=tcp://127.0.0.1:0",
                "--kvmesh.peer.connect-timeout=2s",
                "--kvmesh.directory.attempt-timeout=2s",
                "--kvmesh.control.bind=tcp://127.0.0.1:0",
                "--kvmesh.engine.bind=tcp://127.0.0.1:0"));
    for (String one : more) {
      String name = one.substring(0, one.indexOf('='));
      arguments.removeIf(other -> other.startsWith(name));
      arguments.add(one);
    }
    return arguments.toArray(String[]::new);
  }

  private static String engineDoor(ConfigurableApplicationContext program) {
    return requireNonNull(state(program).doors().get("engine"));
  }

  private static AgentEndpoint.State state(ConfigurableApplicationContext program) {
    return program.getBean(AgentEndpoint.class).state();
  }

  private static String get(ConfigurableApplicationContext program, String path)
      throws IOException, InterruptedException {
    String port = program.getEnvironment().getProperty("local.server.port");
    String address = program.getEnvironment().getProperty("server.address", "");
    String host = address.contains(":") ? "[" + address + "]" : address;
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://" + host + ":" + port + path)).build();
      HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
      return answer.statusCode() + " " + answer.body();
    }
  }

  private static List<String> texts(List<ChunkKey> keys) {
    return keys.stream().map(ChunkKey::toString).toList();
  }

  private static List<byte[]> bodies(List<ChunkKey> keys) {
    List<byte[]> bodies = new ArrayList<>();
    for (ChunkKey key : keys) {
      byte[] body = new byte[PAGE];
      TestAgent.fill(MemorySegment.ofArray(body), key);
      bodies.add(body);
    }
    return bodies;
  }

  private static long open(RawClient engine) {
    return engine.ask(OpenSessionRetMsg.class, new OpenSessionMsg(1, "test")).sessionId();
  }

  private static EngineStoreRetMsg store(RawClient engine, long session, List<ChunkKey> keys) {
    EngineStoreMsg store =
        new EngineStoreMsg(session, 0, texts(keys), Collections.nCopies(keys.size(), 16), false);
    return engine.askForAll(EngineStoreRetMsg.class, store, bodies(keys)).message();
  }

  private static RawClient.Answer<EngineRetrieveRetMsg> retrieve(
      RawClient engine, long session, List<ChunkKey> keys) {
    return engine.askForAll(
        EngineRetrieveRetMsg.class,
        new EngineRetrieveMsg(session, 0, texts(keys), 10_000),
        List.of());
  }

  @Test
  void withoutKafkaAndController_theEngineIsServedAndWhatIsMissingIsShown() throws Exception {
    try (ConfigurableApplicationContext program = AgentApplication.start(arguments("a", NO_KAFKA));
        RawClient engine = RawClient.dealer(engineDoor(program))) {
      long session = open(engine);
      List<ChunkKey> keys = TestAgent.keys(1, 4);
      assertThat(store(engine, session, keys).epoch()).isEqualTo(-1);
      assertThat(retrieve(engine, session, keys).message().numLocal()).isEqualTo(4);

      assertThat(state(program).epoch()).isEqualTo(-1);
      assertThat(get(program, "/actuator/health/liveness")).startsWith("200");
      assertThat(get(program, "/actuator/health/readiness")).startsWith("503");
      assertThat(get(program, "/actuator/health")).contains("\"kafka\"").startsWith("503");
      assertThat(get(program, "/actuator/env")).startsWith("404");
      assertThat(get(program, "/actuator/prometheus"))
          .contains("kvmesh_agent_engine_chunks_total{kind=\"chunk_stored\"} 4.0")
          .contains("kvmesh_agent_cache_pages{state=\"resident\"} 4.0");
      assertThat(get(program, "/actuator/agent")).contains("\"residentChunks\":4");
    }
  }

  @Test
  void chunks_areListedInTheOrderInWhichTheyWouldGo_andAskedForByKey() throws Exception {
    try (ConfigurableApplicationContext program = AgentApplication.start(arguments("a", NO_KAFKA));
        RawClient engine = RawClient.dealer(engineDoor(program))) {
      List<ChunkKey> keys = TestAgent.keys(1, 4);
      store(engine, open(engine), keys);
      String key = keys.getFirst().toString();
      String other = TestAgent.keys(9, 1).getFirst().toString();

      assertThat(get(program, "/actuator/chunks"))
          .isEqualTo(
              "200 {\"resident\":4,\"nextToGo\":[\"%s\"]}"
                  .formatted(String.join("\",\"", texts(keys))));
      assertThat(get(program, "/actuator/chunks?first=1"))
          .isEqualTo("200 {\"resident\":4,\"nextToGo\":[\"%s\"]}".formatted(key));
      assertThat(get(program, "/actuator/chunks/" + key))
          .isEqualTo("200 {\"key\":\"%s\",\"resident\":true}".formatted(key));
      assertThat(get(program, "/actuator/chunks/" + other)).contains("\"resident\":false");
      assertThat(get(program, "/actuator/chunks/of/two/" + key))
          .isEqualTo("200 {\"key\":\"of/two/%s\",\"resident\":false}".formatted(key));

      for (String bad : List.of("0", "-1", "10001", "99999999999", "some", "")) {
        assertThat(get(program, "/actuator/chunks?first=" + bad))
            .isEqualTo("400 {\"error\":\"first must be 1 to 10000, got '%s'\"}".formatted(bad));
      }
      assertThat(get(program, "/actuator/chunks/some/key"))
          .startsWith("400 {\"error\":\"Invalid key 'some/key': ");
    }
  }

  @Test
  void whereTheAgentIs_isShown() throws Exception {
    try (ConfigurableApplicationContext program =
        AgentApplication.start(arguments("a", NO_KAFKA, "--kvmesh.topology.zone=here"))) {
      assertThat(get(program, "/actuator/info"))
          .startsWith("200")
          .contains("\"topology\":{\"zone\":\"here\"");
    }
  }

  @Test
  void theArena_isTheFileThatIsAskedFor_andIsShown(@TempDir Path dir) throws Exception {
    Path file = dir.resolve("arena");
    String[] asked = {
      "--kvmesh.memory.file=" + file,
      "--kvmesh.memory.numa-by-gpu=0:1000",
      "--kvmesh.model.layers=2",
      "--kvmesh.model.hidden-size=16",
      "--kvmesh.model.page-bytes=2048B"
    };
    try (ConfigurableApplicationContext program =
        AgentApplication.start(arguments("a", NO_KAFKA, asked))) {
      AgentEndpoint.Memory memory = requireNonNull(state(program).memory());
      assertThat(file).as("with generations and header").hasSize((1 << 20) + 2 * 4096);
      assertThat(state(program).channels().served()).startsWith("shm");
      assertThat(memory.file()).isEqualTo(file.toString());
      assertThat(memory.capacityBytes()).isEqualTo(1 << 20);
      assertThat(memory.availableBytes()).isGreaterThan(1 << 20);
      assertThat(memory.features()).containsEntry("prefault", "off");
      assertThat(memory.features().get("numa")).startsWith("mbind failed with errno");
      assertThat(state(program).cache().capacityPages()).isEqualTo(512);
      assertThat(get(program, "/actuator/prometheus"))
          .contains("kvmesh_agent_memory_feature{feature=\"numa\",state=\"asked\"} 1.0")
          .contains("kvmesh_agent_memory_feature{feature=\"numa\",state=\"had\"} 0.0")
          .contains("kvmesh_agent_memory_capacity_bytes 1048576.0");
      assertThat(get(program, "/actuator/agent")).contains("\"configuredBytes\":1048576");
    }
    assertThat(file).doesNotExist();
  }

  @Test
  void ranksThatKeepNothing_haveNoArena_andSaySo() throws Exception {
    String[] asked = {
      "--kvmesh.model.mla=true", "--kvmesh.model.save-only-first-rank=true", "--kvmesh.rank=1"
    };
    try (ConfigurableApplicationContext program =
            AgentApplication.start(arguments("a", NO_KAFKA, asked));
        RawClient engine = RawClient.dealer(engineDoor(program))) {
      assertThat(state(program).memory()).isNull();
      assertThat(state(program).cache().keeping()).isEqualTo(Keeping.NOTHING);
      assertThat(store(engine, open(engine), TestAgent.keys(1, 2)).outcomes())
          .containsExactly(StoreOutcome.NOT_KEPT, StoreOutcome.NOT_KEPT);
      assertThat(get(program, "/actuator/prometheus"))
          .contains("kvmesh_agent_cache_keeping{keeping=\"nothing\"} 1.0")
          .contains("kvmesh_agent_cache_not_kept_total 2.0")
          .contains("kvmesh_agent_memory_capacity_bytes 0.0");
    }
  }

  @Test
  void aPortThatIsTaken_isNamed() throws Exception {
    int taken = LoopbackPorts.free();
    String bind = "--kvmesh.engine.bind=tcp://127.0.0.1:" + taken;
    try (ConfigurableApplicationContext first =
        AgentApplication.start(arguments("a", NO_KAFKA, bind))) {
      assertThat(state(first).doors().get("engine")).endsWith(":" + taken);
      assertThatThrownBy(() -> AgentApplication.start(arguments("b", NO_KAFKA, bind)))
          .hasRootCauseInstanceOf(IOException.class)
          .hasStackTraceContaining("tcp://127.0.0.1:" + taken);
    }
  }

  @Test
  void twoAgents_shareThroughTheLogsEpochAndADirectory(@TempDir Path dir) throws Exception {
    pullOfOneAgentFromAnother(dir, "zmq", SocketSettings.DEFAULT);
  }

  @Test
  void twoAgentsAtIpv6AddressesAlone_shareAndAreAskedOverHttp(@TempDir Path dir) throws Exception {
    assumeThat(hasIpv6Loopback()).as("this machine has the address ::1").isTrue();
    pullOfOneAgentFromAnother(
        dir,
        "zmq",
        SocketSettings.DEFAULT,
        "--server.address=::1",
        "--kvmesh.peer.init-bind=tcp://[::1]:0",
        "--kvmesh.peer.lookup-bind=tcp://[::1]:0",
        "--kvmesh.control.bind=tcp://[::1]:0",
        "--kvmesh.engine.bind=tcp://[::1]:0");
  }

  private static boolean hasIpv6Loopback() {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.ofLiteral("::1"), 0));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void twoAgentsOfOneHostAndKey_shareThroughTheirMemory(@TempDir Path dir) throws Exception {
    byte[] secret = new byte[32];
    Arrays.fill(secret, (byte) 5);
    Path key = dir.resolve("key");
    Files.writeString(key, Base64.getEncoder().encodeToString(secret));
    pullOfOneAgentFromAnother(
        dir,
        "shm",
        SocketSettings.DEFAULT.withKeys(Optional.of(CurveKeys.of(secret))),
        "--kvmesh.security.key-file=" + key,
        "--kvmesh.memory.file=" + dir + "/arena-");
  }

  /**
   * @param channel that must be used
   * @param more settings of both agents; a name that ends with a hyphen is made its own for each
   */
  private static void pullOfOneAgentFromAnother(
      Path dir, String channel, SocketSettings ofController, String... more) throws Exception {
    AtomicReference<String> owner = new AtomicReference<>("");
    Path log = Files.createDirectory(dir.resolve("kafka"));
    try (EmbeddedKafka kafka = EmbeddedKafka.start(log, LoopbackPorts.free());
        FakeController controller =
            new FakeController(ofController, asked -> answer(asked, requireNonNull(owner.get())));
        ConfigurableApplicationContext one = start("a", kafka, controller, more);
        ConfigurableApplicationContext two = start("b", kafka, controller, more);
        RawClient first = RawClient.dealer(engineDoor(one));
        RawClient second = RawClient.dealer(engineDoor(two))) {
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> state(one).epoch() >= 0 && state(two).epoch() >= 0);
      owner.set(state(one).doors().get("peer_init"));
      List<ChunkKey> keys = TestAgent.keys(1, 20);
      store(first, open(first), keys);

      RawClient.Answer<EngineRetrieveRetMsg> found = retrieve(second, open(second), keys);

      assertThat(found.message().peerOutcome()).isEqualTo("hit");
      assertThat(found.message().numPeer()).isEqualTo(20);
      assertThat(found.bodies())
          .usingElementComparator(Arrays::compare)
          .containsExactlyElementsOf(bodies(keys));
      assertThat(found.message().epoch()).isEqualTo(state(two).epoch());
      assertThat(state(two).channels().used().get(channel))
          .isEqualTo(new ChannelTraffic.Figures(1, 1, 20 * PAGE));
      assertThat(get(two, "/actuator/prometheus"))
          .contains(
              "kvmesh_agent_channel_bytes_total{channel=\"%s\"} ".formatted(channel) + 20.0 * PAGE);
      await()
          .atMost(Duration.ofSeconds(20))
          .untilAsserted(
              () -> assertThat(get(two, "/actuator/health/readiness")).startsWith("200"));
      requireThatAMoveOnCommandTakesAll(one, two, ofController, 20);
    }
  }

  private static ConfigurableApplicationContext start(
      String name, EmbeddedKafka kafka, FakeController controller, String... more) {
    List<String> settings = new ArrayList<>();
    settings.add("--kvmesh.controllers=" + controller.address());
    for (String one : more) {
      settings.add(one.endsWith("-") ? one + name : one);
    }
    return AgentApplication.start(
        arguments(name, kafka.bootstrapServers(), settings.toArray(String[]::new)));
  }

  /** The target has all of it before. */
  private static void requireThatAMoveOnCommandTakesAll(
      ConfigurableApplicationContext from,
      ConfigurableApplicationContext to,
      SocketSettings ofController,
      int chunks)
      throws Exception {
    WorkerPosition target =
        new WorkerPosition(requireNonNull(state(to).doors().get("peer_init")), LOCATION);
    String door = requireNonNull(state(from).doors().get("control"));
    try (RawClient control = RawClient.dealer(door, ofController)) {
      MoveWorkerRetMsg reply =
          control.ask(
              MoveWorkerRetMsg.class, new MoveWorkerMsg("e", LOCATION, target, null, false));
      assertThat(reply.outcomes()).isEqualTo(Map.of(MoveOutcome.MOVED, chunks));
      assertThat(reply.epoch()).isEqualTo(state(from).epoch());
    }
    assertThat(state(from).cache().residentChunks()).isZero();
    assertThat(state(to).cache().residentChunks()).isEqualTo(chunks);
    assertThat(requireNonNull(state(from).move()).state()).isEqualTo("over");
    assertThat(get(from, "/actuator/agent")).contains("\"done\":{\"moved\":" + chunks + "}");
    await().until(() -> state(to).heldForMoves() == 0);
  }

  private static Message answer(DirectoryRequest asked, String owner) {
    return switch (asked) {
      case BatchedP2PLookupMsg lookup ->
          new BatchedP2PLookupRetMsg(
              List.of(new PeerLayout("a", "LocalCPUBackend", lookup.hashes().size(), owner)));
      case HeartbeatMsg heartbeat -> new HeartbeatRetMsg(List.of());
      case DirectoryRequest other -> throw new IllegalStateException("asked " + other);
    };
  }
}
