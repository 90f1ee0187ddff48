package io.kvmesh.controller.it;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** A process that publishes KV events as vLLM does; see {@code vllm_engine.py}. One thread. */
final class PythonEngine implements AutoCloseable {

  static final String PYTHON = "/usr/bin/python3";
  static final int BLOCK_TOKENS = 4;

  private final Path script;
  private final Process process;
  private final BufferedReader output;
  private final int pubPort;
  private final int replayPort;

  private PythonEngine(Path script, int pubPort, int replayPort, int kept) throws IOException {
    this.script = script;
    this.process =
        new ProcessBuilder(PYTHON, script.toString(), "" + pubPort, "" + replayPort, "" + kept)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    this.output = process.inputReader(StandardCharsets.UTF_8);
    String[] ports = line().split(" ", 2);
    this.pubPort = Integer.parseInt(ports[0]);
    this.replayPort = Integer.parseInt(ports[1]);
  }

  static boolean canRun() throws IOException, InterruptedException {
    return Files.isExecutable(Path.of(PYTHON))
        && new ProcessBuilder(PYTHON, "-c", "import zmq, msgpack").start().waitFor() == 0;
  }

  /** One that can give so many of its last batches again. */
  static PythonEngine start(Path dir, int kept) throws IOException {
    Path script = dir.resolve("vllm_engine.py");
    try (InputStream program = PythonEngine.class.getResourceAsStream("vllm_engine.py")) {
      Files.write(script, Objects.requireNonNull(program).readAllBytes());
    }
    return new PythonEngine(script, 0, 0, kept);
  }

  /** Ends it and begins another life at the same ports. */
  PythonEngine restart(int kept) throws IOException {
    close();
    return new PythonEngine(script, pubPort, replayPort, kept);
  }

  private String line() throws IOException {
    return Objects.requireNonNull(output.readLine(), "the engine has ended");
  }

  /** Gives orders, one after the other. */
  void orders(String... orders) throws IOException {
    for (String order : orders) {
      process.outputWriter().write(order + "\n");
      process.outputWriter().flush();
      line();
    }
  }

  String endpoint() {
    return "tcp://127.0.0.1:" + pubPort;
  }

  String replayEndpoint() {
    return "tcp://127.0.0.1:" + replayPort;
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
