package io.kvmesh.agent.config;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvmesh.agent.AgentApplication;
import io.kvmesh.agent.ops.AgentEndpoint;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
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
  void withoutBeingAskedFor_thereIsNone() {
    try (ConfigurableApplicationContext program = start()) {
      assertThat(state(program).doors()).doesNotContainKeys("lm", "resp");
    }
  }
}
