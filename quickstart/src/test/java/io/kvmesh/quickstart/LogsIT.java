package io.kvmesh.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.quickstart.fleet.AgentSpec;
import io.kvmesh.quickstart.fleet.Fleet;
import io.kvmesh.quickstart.fleet.FleetSettings;
import io.kvmesh.quickstart.fleet.Http;
import io.kvmesh.quickstart.fleet.Member;
import io.kvmesh.quickstart.fleet.Modules;
import io.kvmesh.quickstart.fleet.WorkFolder;
import io.kvmesh.quickstart.options.Policy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the two programs write as in a container: one JSON object an event, and nothing else. */
class LogsIT {

  private static final String ECS = "--logging.structured.format.console=ecs";
  private static final String[] OF_AGENTS = {
    "--kvmesh.model.name=m",
    "--kvmesh.model.page-bytes=4KB",
    "--kvmesh.peer.advertised-host=192.0.2.1",
    "--kvmesh.control.advertised-host=192.0.2.1"
  };
  private static final int PAGE_BYTES = 4 << 10;
  private static final int CHUNKS = 100;
  private static final int ROUNDS = 20;
  private static final Duration SEEN = Duration.ofMinutes(1);
  private static final Duration DEADLINE = Duration.ofSeconds(10);

  private final Http http = new Http();

  @TempDir Path folder;

  /** The least that a log store needs of an event, by the names of the Elastic Common Schema. */
  private static void checkEvent(JsonNode event, String program, String instance) {
    assertThat(Instant.parse(event.path("@timestamp").asString()))
        .isBetween(Instant.now().minusSeconds(600), Instant.now());
    assertThat(event.at("/log/level").asString()).isIn("INFO", "WARN", "ERROR");
    assertThat(event.at("/log/logger").asString()).contains(".");
    assertThat(event.path("message").asString()).isNotBlank();
    assertThat(event.at("/service/name").asString()).isEqualTo(program);
    assertThat(event.at("/service/node/name").asString()).matches(instance);
    assertThat(event.has("traceId")).as("a trace in %s", event).isFalse();
  }

  private static List<JsonNode> events(Path log) throws IOException {
    try (Stream<String> lines = Files.lines(log)) {
      return lines.map(line -> JsonMapper.shared().readTree(line)).toList();
    }
  }

  @Test
  void eachLineIsAnEvent_andRequestsAddNone() throws Exception {
    List<AgentSpec> agents =
        Stream.of("agent-0", "agent-1")
            .map(name -> new AgentSpec(name, FleetSettings.MODEL, Policy.LRU, CHUNKS))
            .toList();
    FleetSettings settings = new FleetSettings(1, agents, PAGE_BYTES).with(ECS);
    WorkFolder work = WorkFolder.create(folder);
    try (Fleet fleet = Fleet.create(settings, Modules.ofThisBuild(), work, http);
        FleetProbe probe = new FleetProbe(fleet, http, PAGE_BYTES)) {
      fleet.start();
      ask(fleet, probe, 1);
      List<Member> programs =
          Stream.concat(fleet.controllers().stream(), fleet.agents().stream()).toList();
      int before = count(work, programs);

      for (int round = 2; round < ROUNDS; round++) {
        ask(fleet, probe, round);
      }

      assertThat(count(work, programs)).isEqualTo(before);
      check(work, programs);
    }
  }

  /** Chunks are stored at one agent, found by REST, brought to the other one and kept there. */
  private void ask(Fleet fleet, FleetProbe probe, int round) throws Exception {
    List<ChunkKey> prefix = probe.keys(round * 4L, round * 4L + 4);
    Member owner = fleet.agents().getFirst();
    probe.store(owner, prefix);
    await()
        .atMost(SEEN)
        .until(
            () ->
                probe.index(prefix).orElseThrow().getOrDefault(owner.name(), Set.of()).size()
                    == prefix.size());
    assertThat(probe.retrieve(fleet.agents().getLast(), prefix, DEADLINE).peer())
        .isEqualTo(prefix.size());
  }

  private static int count(WorkFolder work, List<Member> programs) throws IOException {
    int events = 0;
    for (Member program : programs) {
      events += events(work.log(program.name())).size();
    }
    return events;
  }

  private static void check(WorkFolder work, List<Member> programs) throws IOException {
    for (Member program : programs) {
      boolean agent = program.name().startsWith("agent");
      List<JsonNode> events = events(work.log(program.name()));
      assertThat(events).isNotEmpty();
      for (JsonNode event : events) {
        checkEvent(
            event,
            agent ? "kvmesh-agent" : "kvmesh-controller",
            agent ? program.name() + "/0" : ".+:\\d+");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "worker-agent, io.kvmesh.agent.AgentApplication, kvmesh-agent",
    "controller, io.kvmesh.controller.ControllerApplication, kvmesh-controller"
  })
  void exception_isOneLine(String module, String main, String program) throws Exception {
    Path log = folder.resolve(module);
    int status =
        run(
            log,
            module,
            main,
            Stream.concat(
                    Stream.of("--spring.main.sources=no.such.Source"),
                    module.equals("controller") ? Stream.of() : Stream.of(OF_AGENTS))
                .toArray(String[]::new));

    assertThat(status).isEqualTo(1);
    List<JsonNode> faults =
        events(log).stream().filter(it -> it.path("error").path("stack_trace").isString()).toList();
    assertThat(faults).isNotEmpty();
    checkEvent(faults.getLast(), program, ".+");
    assertThat(faults.getLast().at("/error/stack_trace").asString()).contains("\n\tat ");
  }

  @ParameterizedTest
  @CsvSource({
    "worker-agent, io.kvmesh.agent.AgentApplication",
    "controller, io.kvmesh.controller.ControllerApplication"
  })
  void faultsOfSettings_areOneLine(String module, String main) throws Exception {
    Path log = folder.resolve(module);
    int status = run(log, module, main, "--kvmesh.nonsense=1", "--kvmesh.parent-pid=x");

    assertThat(status).isEqualTo(1);
    assertThat(events(log))
        .extracting(event -> event.path("message").asString())
        .filteredOn(message -> message.contains("kvmesh.nonsense"))
        .singleElement()
        .asString()
        .contains("kvmesh.parent-pid");
  }

  /** The formats that operators may choose instead, by the names of their fields. */
  @ParameterizedTest
  @CsvSource({
    "logstash, level, logger_name, message, stack_trace, worker-agent,"
        + " io.kvmesh.agent.AgentApplication",
    "logstash, level, logger_name, message, stack_trace, controller,"
        + " io.kvmesh.controller.ControllerApplication",
    "gelf, _level_name, _log_logger, short_message, _error_stack_trace, worker-agent,"
        + " io.kvmesh.agent.AgentApplication",
    "gelf, _level_name, _log_logger, short_message, _error_stack_trace, controller,"
        + " io.kvmesh.controller.ControllerApplication"
  })
  void otherFormats_haveAnEventInEachLine_withItsTrace(
      String format,
      String level,
      String logger,
      String message,
      String trace,
      String module,
      String main)
      throws Exception {
    Path log = folder.resolve(module);
    String[] arguments =
        Stream.concat(
                Stream.of("--spring.main.sources=no.such.Source"),
                module.equals("controller") ? Stream.of() : Stream.of(OF_AGENTS))
            .toArray(String[]::new);

    assertThat(runIn(format, log, module, main, arguments)).isEqualTo(1);

    List<JsonNode> events = events(log);
    assertThat(events)
        .isNotEmpty()
        .allSatisfy(
            event -> {
              assertThat(event.path(level).asString()).isIn("INFO", "WARN", "ERROR");
              assertThat(event.path(logger).asString()).contains(".");
              assertThat(event.path(message).asString()).isNotBlank();
              assertThat(event.has(format.equals("gelf") ? "timestamp" : "@timestamp")).isTrue();
            })
        .anySatisfy(event -> assertThat(event.path(trace).asString()).contains("\n\tat "));
  }

  private int run(Path log, String module, String main, String... arguments) throws Exception {
    return runIn("ecs", log, module, main, arguments);
  }

  /** The variable is what the images set. */
  private int runIn(String format, Path log, String module, String main, String... arguments)
      throws Exception {
    List<String> command =
        Stream.concat(
                Stream.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx256m",
                    "-XX:TieredStopAtLevel=1",
                    "--enable-native-access=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow",
                    "-cp",
                    Modules.ofThisBuild().classPath(module),
                    main,
                    "--server.address=127.0.0.1",
                    "--server.port=0"),
                Stream.of(arguments))
            .toList();
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().put("LOGGING_STRUCTURED_FORMAT_CONSOLE", format);
    builder.directory(folder.toFile());
    Process process = builder.start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("ends by itself").isTrue();
      return process.exitValue();
    } finally {
      process.destroyForcibly();
    }
  }
}
