package io.kvmesh.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The two servers as processes of their own, as quickstart starts them. */
class ServiceProcessIT {

  private static final Duration LIMIT = Duration.ofSeconds(30);

  @TempDir Path dir;

  private final List<Process> started = new ArrayList<>();

  @AfterEach
  void endProcesses() {
    started.forEach(Process::destroyForcibly);
  }

  @Test
  void kafkaServesInASmallHeapAndEndsOnSigterm() throws Exception {
    Process kafka = java(KafkaMain.class, "--dir", dir.toString());
    assertThat(readyLine(kafka)).matches("ready kafka 127\\.0\\.0\\.1:\\d+");

    kafka.destroy();

    assertThat(kafka.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aKilledKafkaStartsAgainOnItsFolderAndPort() throws Exception {
    Process kafka = java(KafkaMain.class, "--dir", dir.toString());
    int port = portOf(readyLine(kafka));
    kafka.destroyForcibly().waitFor();

    Process again =
        java(KafkaMain.class, "--dir", dir.toString(), "--port", Integer.toString(port));

    assertThat(readyLine(again)).isEqualTo("ready kafka 127.0.0.1:" + port);
  }

  @Test
  void redisEndsWithItsLauncher() throws Exception {
    Process launcher = start(List.of("sleep", "300"));
    Process redis =
        java(
            RedisMain.class,
            "--dir",
            dir.toString(),
            "--parent-pid",
            Long.toString(launcher.pid()));
    int port = portOf(readyLine(redis));
    assertThat(ping(port)).isEqualTo("+PONG");

    launcher.destroyForcibly();

    assertThat(redis.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    awaitSilence(port);
  }

  @Test
  void theServerOfAKilledRedisProcessEndsToo() throws Exception {
    Process redis = java(RedisMain.class, "--dir", dir.toString());
    int port = portOf(readyLine(redis));

    redis.destroyForcibly();

    awaitSilence(port);
  }

  @Test
  void aLauncherThatIsGoneAlreadyEndsIt() throws Exception {
    Process launcher = start(List.of("true"));
    launcher.waitFor();
    Process kafka =
        java(
            KafkaMain.class,
            "--dir",
            dir.toString(),
            "--parent-pid",
            Long.toString(launcher.pid()));
    assertThat(kafka.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aBadOptionIsOneLine() throws Exception {
    Process kafka = java(KafkaMain.class, "--dir", dir.toString(), "--port", "99999");
    String said = new String(kafka.getErrorStream().readAllBytes(), UTF_8);
    assertThat(said.lines())
        .containsExactly("kafka: --port must be a number from 0 to 65535, not '99999'");
    assertThat(kafka.waitFor()).isEqualTo(2);
  }

  private Process java(Class<?> main, String... options) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "--sun-misc-unsafe-memory-access=allow"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(options));
    return start(command);
  }

  private Process start(List<String> command) throws IOException {
    Process process = new ProcessBuilder(command).start();
    started.add(process);
    return process;
  }

  private static String readyLine(Process process) throws IOException {
    BufferedReader reader = process.inputReader(UTF_8);
    return String.valueOf(reader.readLine());
  }

  private static int portOf(String readyLine) {
    return Integer.parseInt(readyLine.substring(readyLine.lastIndexOf(':') + 1));
  }

  private static String ping(int port) throws IOException {
    try (RespClient client = new RespClient(port)) {
      return client.call("PING");
    }
  }

  private static void awaitSilence(int port) {
    await().atMost(LIMIT).until(() -> isSilent(port));
  }

  private static boolean isSilent(int port) {
    try {
      ping(port);
      return false;
    } catch (IOException _) {
      return true;
    }
  }
}
