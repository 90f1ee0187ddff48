package io.kvmesh.benchmarks.front;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A Java program of this class path in a process of its own. Its output goes to a file. */
final class ChildProgram implements AutoCloseable {

  private static final long START_NANOS = TimeUnit.MINUTES.toNanos(2);
  private static final int POLL_MILLIS = 20;
  private static final int STOP_SECONDS = 10;
  private static final int TAIL_LINES = 15;

  private final Process process;
  private final Path log;

  /** Looked at again until it is there. */
  interface Attempt<T> {
    Optional<T> get() throws IOException, InterruptedException;
  }

  private ChildProgram(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /**
   * Starts a program.
   *
   * @param dir is made; has the output, and is where it runs
   */
  static ChildProgram start(Path dir, int heapMegabytes, Class<?> mainClass, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xms" + heapMegabytes + "m");
    command.add("-Xmx" + heapMegabytes + "m");
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(mainClass.getName());
    command.addAll(arguments);
    Path log = Files.createDirectories(dir).resolve("log");
    return new ChildProgram(
        new ProcessBuilder(command)
            .directory(dir.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start(),
        log);
  }

  /** Waits until the output has a line that begins so; what follows on it. */
  String awaitLine(String begin) throws IOException, InterruptedException, TimeoutException {
    return await(
        () ->
            Files.readString(log)
                .lines()
                .filter(line -> line.startsWith(begin))
                .map(line -> line.substring(begin.length()))
                .findFirst());
  }

  /**
   * Looks again and again.
   *
   * @throws IOException if the program ends before
   */
  <T> T await(Attempt<T> attempt) throws IOException, InterruptedException, TimeoutException {
    long end = System.nanoTime() + START_NANOS;
    while (System.nanoTime() - end < 0) {
      Optional<T> found = attempt.get();
      if (found.isPresent()) {
        return found.get();
      }
      if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
        throw new IOException("A program has ended:\n" + tail());
      }
    }
    throw new TimeoutException("A program is not ready:\n" + tail());
  }

  /** The end of its output. */
  String tail() throws IOException {
    List<String> lines = Files.readAllLines(log);
    return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
  }
}
