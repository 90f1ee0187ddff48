package io.kvmesh.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands that go on until Ctrl-C, as processes that get its signal. */
@Timeout(120)
class CtrlCTest {

  /** Gives Ctrl-C its meaning back, which a job of a shell in the background lacks. */
  private static final Path ENV = Path.of("/usr/bin/env");

  @TempDir private Path dir;

  @ParameterizedTest
  @CsvSource({
    "events tail --follow",
    "top",
    "top --interval 600000",
    "events tail --follow -o json"
  })
  void interrupt_endsItAsShellsExpect_andSaysNothing(String command) throws Exception {
    assumeThat(ENV).isExecutable();
    try (StubController controller = new StubController()) {
      String event =
          "{\"id\":1,\"millis\":0,\"kind\":\"DOWN\",\"instanceId\":\"agent-0\",\"text\":\"x\"}";
      controller.answer(
          "/api/v1/workers", "{\"workers\":[{\"instanceId\":\"agent-0\",\"rank\":0}]}");
      controller.answer("/api/v1/events?limit=20", "{\"next\":2,\"events\":[%s]}".formatted(event));
      controller.answer("/api/v1/events?limit=1000&after=2", "{\"next\":2,\"events\":[]}");
      Path said = dir.resolve("stderr");

      Process process = start(command, controller.url(), said);
      try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
        assertThat(out.lines().anyMatch(line -> line.contains("agent-0"))).isTrue();

        int sent = new ProcessBuilder("kill", "-INT", "" + process.pid()).start().waitFor();

        assertThat(sent).isZero();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("ends").isTrue();
        assertThat(process.exitValue()).isEqualTo(130);
        assertThat(Files.readString(said)).isEmpty();
        assertThat(out.lines()).noneMatch(line -> line.contains("Exception"));
      } finally {
        process.destroyForcibly();
      }
    }
  }

  private static Process start(String command, String url, Path said) throws Exception {
    List<String> words =
        new ArrayList<>(
            List.of(
                ENV.toString(),
                "--default-signal=INT",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Kvmesh.class.getName()));
    words.addAll(List.of(command.split(" ", -1)));
    words.addAll(List.of("--url", url));
    ProcessBuilder builder = new ProcessBuilder(words).redirectError(said.toFile());
    builder.environment().remove("JDK_JAVA_OPTIONS");
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    return builder.start();
  }
}
