package io.kvmesh.quickstart;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The quickstart as a user runs it: a process of its own. Killed with {@link #close}. */
final class QuickstartProcess implements AutoCloseable {

  private final Process process;
  private final Path out;
  private final Path err;
  private final Path json;

  private QuickstartProcess(Process process, Path folder) {
    this.process = process;
    this.out = folder.resolve("out");
    this.err = folder.resolve("err");
    this.json = json(folder);
  }

  /** Starts it with its work folder, outputs and JSON file below {@code folder}. */
  static QuickstartProcess start(Path folder, String... options) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx512m");
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(Quickstart.class.getName());
    command.addAll(List.of(options));
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(folder.resolve("out").toFile())
            .redirectError(folder.resolve("err").toFile())
            .start();
    return new QuickstartProcess(process, folder);
  }

  /** The JSON file to be named with {@code --json}. */
  static Path json(Path folder) {
    return folder.resolve("outcome.json");
  }

  /** Its exit status. */
  int awaitEnd(Duration timeout) throws InterruptedException {
    if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new AssertionError("still runs after " + timeout + "\n" + output());
    }
    return process.exitValue();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  long pid() {
    return process.pid();
  }

  /** All processes below it. */
  List<ProcessHandle> descendants() {
    return process.descendants().toList();
  }

  /** As {@code kill -9}. */
  void kill() {
    process.destroyForcibly().onExit().join();
  }

  /** As Ctrl-C, but for the status. */
  void terminate() {
    process.destroy();
  }

  String standardOutput() {
    return read(out);
  }

  String standardError() {
    return read(err);
  }

  /** Both outputs, for messages. */
  String output() {
    return standardOutput() + standardError();
  }

  /** What the JSON file says now; a missing node before there is one. */
  JsonNode outcome() {
    return Files.exists(json)
        ? JsonMapper.shared().readTree(json)
        : JsonMapper.shared().missingNode();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    List<ProcessHandle> below = descendants();
    process.destroyForcibly().onExit().join();
    below.forEach(ProcessHandle::destroyForcibly);
  }
}
