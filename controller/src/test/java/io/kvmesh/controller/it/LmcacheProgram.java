package io.kvmesh.controller.it;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A Python program that does what LMCache's workers do, with nothing but libzmq and msgpack. */
final class LmcacheProgram {

  private final Path script;

  private LmcacheProgram(Path script) {
    this.script = script;
  }

  /** Skips the test where there is no Python that can run it. */
  static LmcacheProgram requirePython(Path dir) throws IOException, InterruptedException {
    assumeTrue(
        PythonEngine.canRun(),
        "skipped, needs "
            + PythonEngine.PYTHON
            + " with zmq and msgpack (python3-zmq, python3-msgpack)");
    Path script = dir.resolve("lmcache_worker.py");
    try (InputStream program = LmcacheProgram.class.getResourceAsStream("lmcache_worker.py")) {
      Files.write(script, Objects.requireNonNull(program).readAllBytes());
    }
    return new LmcacheProgram(script);
  }

  /** Starts it; the script says what it does with the arguments. */
  Process start(Object... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(PythonEngine.PYTHON, script.toString()));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /** What it says. */
  static BufferedReader output(Process process) {
    return process.inputReader(StandardCharsets.UTF_8);
  }
}
