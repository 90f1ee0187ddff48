package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** A test agent in a process of its own, {@link AgentChild}. The thread of its test. */
final class AgentProcess implements AutoCloseable {

  static final int KILL = 9;
  static final int STOP = 19;

  private static final Duration LONG = Duration.ofSeconds(60);

  private final Process process;
  private final PrintWriter orders;
  private final BufferedReader answers;
  private final String address;

  private AgentProcess(Process process) throws IOException {
    this.process = process;
    this.orders = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
    this.answers = process.inputReader(StandardCharsets.UTF_8);
    this.address = answer();
  }

  /** Starts it; its memory is a file of its name. */
  static AgentProcess start(String name, Path directory, long epoch) throws IOException {
    return new AgentProcess(
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx128m",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                AgentChild.class.getName(),
                name,
                directory.resolve(name).toString(),
                "" + epoch,
                "" + ProcessHandle.current().pid())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start());
  }

  /** Where peers shake hands with it. */
  String address() {
    return address;
  }

  /** Gives an order and waits for its answer. */
  String ask(String order) throws IOException {
    begin(order);
    return answer();
  }

  /** Gives an order. */
  void begin(String order) {
    orders.println(order);
  }

  /** The answer to an order that was begun. */
  String answer() throws IOException {
    for (String line = answers.readLine(); line != null; line = answers.readLine()) {
      if (line.startsWith(AgentChild.SAYS)) {
        return line.substring(AgentChild.SAYS.length());
      }
    }
    throw new IOException("The process has ended");
  }

  /** It gets a signal as soon as it has counted one more of this. */
  void signalAt(String side, Enum<?> kind, int signal) throws IOException {
    assertThat(ask("at " + side + " " + kind.name() + " " + signal)).isEqualTo("ok");
  }

  /** As kill -9. */
  void kill() {
    process.destroyForcibly();
    awaitDead();
  }

  void awaitDead() {
    await().atMost(LONG).until(() -> !process.isAlive());
  }

  /** It stands still, its connections stay. */
  void stop() throws Exception {
    send("STOP");
    awaitStopped();
  }

  void awaitStopped() {
    Path status = Path.of("/proc/" + process.pid() + "/stat");
    await().atMost(LONG).until(() -> Files.readString(status).matches("(?s).*\\) T .*"));
  }

  /** It goes on. */
  void goOn() throws Exception {
    send("CONT");
  }

  private void send(String signal) throws Exception {
    assertThat(new ProcessBuilder("kill", "-" + signal, "" + process.pid()).start().waitFor())
        .isZero();
  }

  @Override
  public void close() {
    process.destroyForcibly();
    awaitDead();
  }
}
