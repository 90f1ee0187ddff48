package io.kvmesh.embedded;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.common.process.LoopbackPorts;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One real Redis server as a child process, on the loopback address, without persistence: after
 * {@link #stop} and {@link #restart} it is empty and listens on the same port. The server ends with
 * this JVM, also when this JVM is killed.
 */
public final class EmbeddedRedis implements AutoCloseable {

  private static final Duration START_LIMIT = Duration.ofSeconds(10);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(5);
  private static final int CONNECT_MILLIS = 500;

  /**
   * Becomes the server, after leaving behind a shell that ends it when standard input closes: the
   * other end of that pipe is this JVM.
   */
  private static final String RUN_WITH_PARENT =
      "exec 3<&0; (read -r _ <&3; kill -TERM $$) 2>/dev/null & exec \"$@\" 3<&- </dev/null";

  private final Path executable;
  private final Path dir;
  private final int port;
  private final List<String> options;

  @GuardedBy("this")
  private @Nullable Process server;

  private EmbeddedRedis(Path executable, Path dir, int port, List<String> options) {
    this.executable = executable;
    this.dir = dir;
    this.port = port;
    this.options = options;
  }

  /**
   * Starts a server and waits until it answers.
   *
   * @param dir holds its executable and its log; created when missing
   * @param port the port to listen on, or 0 for a free one
   * @throws IOException with one clear line when the port is in use or no Redis can run here
   */
  public static EmbeddedRedis start(Path dir, int port) throws IOException {
    Path absolute = Files.createDirectories(dir.toAbsolutePath());
    return start(
        RedisExecutable.find(absolute),
        absolute,
        port == 0 ? LoopbackPorts.free() : port,
        List.of());
  }

  /**
   * Starts a server with further options and waits until it answers.
   *
   * @param options as on its command line: --name value
   */
  public static EmbeddedRedis start(Path dir, int port, List<String> options) throws IOException {
    Path absolute = Files.createDirectories(dir.toAbsolutePath());
    return start(
        RedisExecutable.find(absolute), absolute, port == 0 ? LoopbackPorts.free() : port, options);
  }

  static EmbeddedRedis start(Path executable, Path dir, int port, List<String> options)
      throws IOException {
    EmbeddedRedis redis = new EmbeddedRedis(executable, dir, port, List.copyOf(options));
    redis.startServer();
    return redis;
  }

  /** Where clients connect, also while it is stopped. */
  public String uri() {
    return "redis://127.0.0.1:" + port;
  }

  public int port() {
    return port;
  }

  /** Ends the server and with it all data. Does nothing when it is stopped already. */
  public synchronized void stop() {
    Process running = server;
    server = null;
    if (running == null) {
      return;
    }
    running.destroy();
    try {
      if (!running.waitFor(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        running.destroyForcibly().waitFor();
      }
    } catch (InterruptedException _) {
      running.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until the server that runs now has ended; its status. Returns at once if none runs. */
  public int awaitEnd() throws InterruptedException {
    Process running;
    synchronized (this) {
      running = server;
    }
    return running == null ? 0 : running.waitFor();
  }

  /** Stops it where it runs and starts an empty server on the same port. */
  public void restart() throws IOException {
    stop();
    startServer();
  }

  @Override
  public void close() {
    stop();
  }

  private synchronized void startServer() throws IOException {
    LoopbackPorts.requireFree(port, "Redis");
    Path log = dir.resolve("redis.log");
    Process starting =
        new ProcessBuilder(command())
            .directory(dir.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    server = starting;
    try {
      awaitAnswer(starting, log);
    } catch (IOException e) {
      stop();
      throw e;
    }
  }

  private List<String> command() {
    List<String> command =
        new ArrayList<>(
            List.of(
                "/bin/sh",
                "-c",
                RUN_WITH_PARENT,
                "sh",
                executable.toString(),
                "--port",
                Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "no",
                "--dir",
                dir.toString()));
    command.addAll(options);
    return command;
  }

  private void awaitAnswer(Process starting, Path log) throws IOException {
    long deadline = System.nanoTime() + START_LIMIT.toNanos();
    while (!answers()) {
      if (!starting.isAlive()) {
        throw new IOException(
            "Redis ended with status %d: %s".formatted(starting.exitValue(), lastLine(log)));
      }
      if (System.nanoTime() > deadline) {
        throw new IOException(
            "Redis did not answer on 127.0.0.1:%d within %d s, see %s"
                .formatted(port, START_LIMIT.toSeconds(), log));
      }
      pause();
    }
  }

  private boolean answers() {
    try {
      String answer = ask("PING");
      return answer.equals("+PONG") || answer.startsWith("-NOAUTH");
    } catch (IOException _) {
      return false;
    }
  }

  /**
   * Says one line to the server, without a password.
   *
   * @return the first line of its answer, or all of a text
   */
  String ask(String line) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port), CONNECT_MILLIS);
      socket.setSoTimeout(CONNECT_MILLIS);
      socket.getOutputStream().write((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
      BufferedInputStream in = new BufferedInputStream(socket.getInputStream());
      String first = readLine(in);
      return first.startsWith("$")
          ? new String(
              in.readNBytes(Integer.parseInt(first.substring(1))), StandardCharsets.US_ASCII)
          : first;
    }
  }

  private static String readLine(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\r'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("Redis said: " + line);
      }
      line.append((char) c);
    }
    requireNewline(in.read());
    return line.toString();
  }

  private static void requireNewline(int c) throws IOException {
    if (c != '\n') {
      throw new IOException("Redis ended a line with character " + c);
    }
  }

  static void pause() throws IOException {
    try {
      Thread.sleep(10);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while Redis was starting", e);
    }
  }

  private static String lastLine(Path log) throws IOException {
    List<String> lines = Files.readAllLines(log).stream().filter(line -> !line.isBlank()).toList();
    return lines.isEmpty() ? "it said nothing" : lines.getLast().strip();
  }
}
