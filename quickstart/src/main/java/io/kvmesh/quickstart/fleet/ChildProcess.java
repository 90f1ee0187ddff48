package io.kvmesh.quickstart.fleet;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One running program. Both its outputs are appended to its log. Any thread. */
final class ChildProcess {

  private static final Duration POLL = Duration.ofMillis(20);

  private final String name;
  private final Process process;
  private final ChildLog log;

  private ChildProcess(String name, Process process, ChildLog log) {
    this.name = name;
    this.process = process;
    this.log = log;
  }

  /**
   * @param command the program and its arguments
   */
  static ChildProcess start(String name, List<String> command, Path directory, Path logFile)
      throws ChildFailure {
    try {
      ChildLog log = ChildLog.from(logFile);
      Process process =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(logFile.toFile()))
              .start();
      process.getOutputStream().close();
      return new ChildProcess(name, process, log);
    } catch (IOException e) {
      throw new ChildFailure(name + " can't be started: " + e.getMessage(), List.of());
    }
  }

  String name() {
    return name;
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  CompletableFuture<Process> onExit() {
    return process.onExit();
  }

  /** The process that died, for the user. */
  ChildFailure failure(String what) {
    return new ChildFailure(name + " " + what + ", log: " + log.file(), log.tail());
  }

  ChildFailure ended() {
    return failure("ended with status " + process.exitValue());
  }

  /**
   * Waits for a line of the log.
   *
   * @throws ChildFailure if the program ends first or the time is over
   */
  Matcher awaitLine(Pattern line, Duration timeout) throws ChildFailure, InterruptedException {
    return await(() -> log.find(line), "did not become ready", timeout);
  }

  /** Something that may be there on a later look. */
  interface Attempt<T> {
    Optional<T> get() throws InterruptedException;
  }

  /**
   * Looks again and again.
   *
   * @param fault how to say that it took too long
   * @throws ChildFailure if the program ends first or the time is over
   */
  <T> T await(Attempt<T> attempt, String fault, Duration timeout)
      throws ChildFailure, InterruptedException {
    long end = System.nanoTime() + timeout.toNanos();
    while (true) {
      boolean alive = process.isAlive();
      Optional<T> found = attempt.get();
      if (found.isPresent()) {
        return found.get();
      }
      if (!alive) {
        throw ended();
      }
      if (System.nanoTime() - end >= 0) {
        throw failure(fault + " within " + timeout.toSeconds() + " s");
      }
      awaitEnd(POLL);
    }
  }

  /** Asks it to end. */
  void terminate() {
    process.destroy();
  }

  /** Ends it without asking, as {@code kill -9} does. */
  void kill() {
    process.destroyForcibly();
  }

  /** Waits for its end; its status. */
  int awaitEnd() throws InterruptedException {
    return process.waitFor();
  }

  /** Waits for its end; false where the time is over. */
  boolean awaitEnd(Duration timeout) throws InterruptedException {
    return process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** What one life of the program has logged. */
  private record ChildLog(Path file, long start) {

    private static final int TAIL_LINES = 15;
    private static final int MAX_BYTES = 1 << 20;

    static ChildLog from(Path file) throws IOException {
      return new ChildLog(file, Files.exists(file) ? Files.size(file) : 0);
    }

    Optional<Matcher> find(Pattern line) {
      return text(start).lines().map(line::matcher).filter(Matcher::find).findFirst();
    }

    List<String> tail() {
      List<String> lines = text(size() - MAX_BYTES / 16).lines().toList();
      return lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size());
    }

    private long size() {
      try {
        return Files.size(file);
      } catch (IOException e) {
        return 0;
      }
    }

    /** At most {@link #MAX_BYTES} from an offset, never from before this life. */
    private String text(long from) {
      try (SeekableByteChannel channel = Files.newByteChannel(file)) {
        long offset = Math.max(start, from);
        ByteBuffer bytes = ByteBuffer.allocate(Math.clamp(channel.size() - offset, 0, MAX_BYTES));
        channel.position(offset);
        while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
          // until full
        }
        return new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
      } catch (IOException e) {
        return "";
      }
    }
  }
}
