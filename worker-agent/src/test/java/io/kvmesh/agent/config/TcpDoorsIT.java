package io.kvmesh.agent.config;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvmesh.agent.AgentApplication;
import io.kvmesh.agent.ops.AgentEndpoint;
import java.io.InputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

/** The whole program, and clients in other languages at its TCP doors. */
@Timeout(120)
class TcpDoorsIT {

  private static final String PYTHON = "/usr/bin/python3";
  private static final int PAGE = 4096;

  @TempDir private Path folder;

  private static ConfigurableApplicationContext start(String... more) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--server.port=0",
                "--server.address=127.0.0.1",
                "--kvmesh.instance-id=a",
                "--kvmesh.advertise-loopback=true",
                "--kvmesh.model.name=m",
                "--kvmesh.model.chunk-tokens=16",
                "--kvmesh.model.page-bytes=" + PAGE + "B",
                "--kvmesh.cache.capacity-bytes=1MB",
                "--kvmesh.kafka.bootstrap-servers=127.0.0.1:1",
                "--kvmesh.peer.init-bind=tcp://127.0.0.1:0",
                "--kvmesh.peer.lookup-bind=tcp://127.0.0.1:0",
                "--kvmesh.control.bind=tcp://127.0.0.1:0",
                "--kvmesh.engine.bind=tcp://127.0.0.1:0"));
    arguments.addAll(List.of(more));
    return AgentApplication.start(arguments.toArray(String[]::new));
  }

  private static AgentEndpoint.State state(ConfigurableApplicationContext program) {
    return program.getBean(AgentEndpoint.class).state();
  }

  private static String port(ConfigurableApplicationContext program, String door) {
    String address = requireNonNull(state(program).doors().get(door));
    return address.substring(address.lastIndexOf(':') + 1);
  }

  /** What a program prints: on each line a name and a value. */
  private static Map<String, String> run(String... command) throws Exception {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    Map<String, String> printed = new LinkedHashMap<>();
    process
        .inputReader(StandardCharsets.UTF_8)
        .lines()
        .map(line -> line.split(" ", 2))
        .forEach(parts -> printed.put(parts[0], parts[1]));
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
    return printed;
  }

  private String script(String name) throws Exception {
    assumeTrue(Files.isExecutable(Path.of(PYTHON)), "skipped, needs " + PYTHON + " (python3)");
    Path script = folder.resolve(name);
    try (InputStream program = TcpDoorsIT.class.getResourceAsStream(name)) {
      Files.copy(requireNonNull(program), script);
    }
    return script.toString();
  }

  @Test
  void lmCachesConnector_findsASharedCache() throws Exception {
    String script = script("lm_connector.py");
    try (ConfigurableApplicationContext program =
        start("--kvmesh.lm.enabled=true", "--kvmesh.lm.bind=tcp://127.0.0.1:0")) {
      Map<String, String> printed =
          run(PYTHON, script, "127.0.0.1", port(program, "lm"), String.valueOf(PAGE));
      assertThat(printed)
          .containsEntry("health", "True")
          .containsEntry("absent", "False None")
          .containsEntry("absent_header", "True")
          .containsEntry("exist", "[True, True, True, True]")
          .containsEntry("get", "[True, True, True, True]")
          .containsEntry("other_connection", "[True, True, True, True]")
          .containsEntry("replaced", "True");
      assertThat(state(program).cache().residentChunks()).isEqualTo(4);
    }
  }

  @Test
  void lmCachesRedisConnectors_findASharedCache() throws Exception {
    String script = script("resp_connectors.py");
    try (ConfigurableApplicationContext program = startResp("--kvmesh.resp.password=open sesame")) {
      Map<String, String> printed =
          run(
              PYTHON,
              script,
              "127.0.0.1",
              port(program, "resp"),
              String.valueOf(PAGE),
              "open sesame");
      assertThat(printed)
          .containsEntry("stranger", "-NOAUTH Authentication required.")
          .containsEntry("auth", "+OK +OK")
          .containsEntry("library", "+OK +OK +PONG")
          .containsEntry("absent", "0 None")
          .containsEntry("put", "[True, True, True, True]")
          .containsEntry("exist", "[1, 1, 1, 1]")
          .containsEntry("get", "[True, True, True, True]")
          .containsEntry("single", "[True, True, True, True]")
          .containsEntry("replaced", "+OK True")
          .containsEntry("size", "4")
          .containsEntry("pipelined", "[True, True, True]")
          .containsEntry("deleted", "1 1");
      assertThat(state(program).cache().residentChunks()).isEqualTo(3);
    }
  }

  private static ConfigurableApplicationContext startResp(String... more) {
    List<String> arguments =
        new ArrayList<>(
            List.of("--kvmesh.resp.enabled=true", "--kvmesh.resp.bind=tcp://127.0.0.1:0"));
    arguments.addAll(List.of(more));
    return start(arguments.toArray(String[]::new));
  }

  private static String tool(String name) {
    Path tool = Path.of("/usr/bin", name);
    assumeTrue(Files.isExecutable(tool), "skipped, needs " + tool + " (redis-tools)");
    return tool.toString();
  }

  /** What a Redis tool prints at that door. */
  private static List<String> redis(
      ConfigurableApplicationContext program, String input, String tool, String... arguments)
      throws Exception {
    List<String> command = new ArrayList<>(List.of(tool, "-p", port(program, "resp")));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (Writer typed = process.outputWriter(StandardCharsets.UTF_8)) {
      typed.write(input);
    }
    List<String> printed = process.inputReader(StandardCharsets.UTF_8).lines().toList();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as("%s", printed).isZero();
    return printed;
  }

  @Test
  void redisCli_worksAsAtARedis() throws Exception {
    String cli = tool("redis-cli");
    try (ConfigurableApplicationContext program = startResp()) {
      String typed =
          """
          SET "a key" 'a value'
          GET "a key"
          MGET "a key" none
          EXISTS "a key"
          STRLEN "a key"
          DBSIZE
          ECHO hello
          NOSUCH 1
          DEL "a key"
          GET "a key"
          """;
      assertThat(redis(program, typed, cli))
          .containsExactly(
              "OK",
              "a value",
              "a value",
              "",
              "1",
              "7",
              "1",
              "hello",
              "ERR unknown command 'NOSUCH'",
              "",
              "1",
              "");
      assertThat(redis(program, "", cli, "INFO")).contains("redis_version:7.0.0");
      assertThat(redis(program, "x".repeat(PAGE), cli, "-x", "SET", "page")).containsExactly("OK");
      assertThat(redis(program, "", cli, "--raw", "GET", "page")).containsExactly("x".repeat(PAGE));
    }
  }

  @Test
  void redisBenchmark_runsThrough() throws Exception {
    String benchmark = tool("redis-benchmark");
    try (ConfigurableApplicationContext program = startResp()) {
      List<String> printed =
          redis(
              program,
              "",
              benchmark,
              "-n",
              "2000",
              "-c",
              "20",
              "-P",
              "16",
              "-d",
              "1000",
              "-r",
              "100",
              "-t",
              "ping,set,get",
              "--csv");
      assertThat(printed)
          .noneMatch(line -> line.toLowerCase(Locale.ROOT).startsWith("error"))
          .anyMatch(line -> line.startsWith("\"SET\""))
          .anyMatch(line -> line.startsWith("\"GET\""));
      assertThat(state(program).cache().residentChunks()).isBetween(1, 101);
    }
  }

  @Test
  void withoutBeingAskedFor_thereIsNone() {
    try (ConfigurableApplicationContext program = start()) {
      assertThat(state(program).doors()).doesNotContainKeys("lm", "resp");
    }
  }
}
