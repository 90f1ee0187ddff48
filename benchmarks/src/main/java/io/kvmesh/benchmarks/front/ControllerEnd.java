package io.kvmesh.benchmarks.front;

import io.kvmesh.common.process.LoopbackPorts;
import io.kvmesh.controller.ControllerApplication;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/** A controller in a process of its own, and what it tells of itself. Any thread. */
final class ControllerEnd implements AutoCloseable {

  private static final int HEAP_MEGABYTES = 1024;
  private static final int OK = 200;
  private static final Duration ANSWER = Duration.ofSeconds(10);
  private static final String HOST = "127.0.0.1:";
  private static final String PREFIX = "kvmesh_controller_";
  private static final String METRICS =
      "/actuator/prometheus?includedNames=%1$soperations,%1$sgaps,%1$smessages_lost"
          .formatted(PREFIX);

  private final int rest = LoopbackPorts.free();
  private final int pull = LoopbackPorts.free();
  private final int reply = LoopbackPorts.free();
  private final int heartbeat = LoopbackPorts.free();
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final ChildProgram program;

  /**
   * What a controller has counted since its start.
   *
   * @param memory admits and evicts that the view in memory has applied
   * @param durable the same of the view in Redis
   * @param gaps times that operations were missing, in either view
   * @param lost messages that came to nothing
   */
  record Counted(long memory, long durable, long gaps, long lost) {}

  private ControllerEnd(Path dir, String kafka, String redisUri) throws IOException {
    program =
        ChildProgram.start(
            dir,
            HEAP_MEGABYTES,
            ControllerApplication.class,
            List.of(
                "--kvmesh.parent-pid=" + ProcessHandle.current().pid(),
                "--kvmesh.cluster=" + dir.getFileName(),
                "--kvmesh.kafka.bootstrap-servers=" + kafka,
                "--kvmesh.redis.uri=" + redisUri,
                "--kvmesh.zmq.pull-bind=tcp://" + HOST + pull,
                "--kvmesh.zmq.reply-bind=tcp://" + HOST + reply,
                "--kvmesh.zmq.heartbeat-bind=tcp://" + HOST + heartbeat,
                // At a low rate the mix has few heartbeats, and nobody listens to probes.
                "--kvmesh.liveness.silent-after=10m",
                "--kvmesh.liveness.expire-after=20m",
                "--server.address=127.0.0.1",
                "--server.port=" + rest));
  }

  /**
   * Starts one, and waits until it is ready.
   *
   * @param redisUri empty = no view in Redis
   */
  static ControllerEnd start(Path dir, String kafka, String redisUri)
      throws IOException, InterruptedException, TimeoutException {
    ControllerEnd started = new ControllerEnd(dir, kafka, redisUri);
    try {
      started.program.await(started::ready);
      return started;
    } catch (IOException | InterruptedException | TimeoutException | RuntimeException e) {
      started.close();
      throw e;
    }
  }

  private Optional<Boolean> ready() throws IOException, InterruptedException {
    return get("/actuator/health/readiness").map(body -> true);
  }

  private Optional<String> get(String path) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + HOST + rest + path)).timeout(ANSWER).build();
    try {
      var answer = http.send(request, BodyHandlers.ofString());
      return answer.statusCode() == OK ? Optional.of(answer.body()) : Optional.empty();
    } catch (ConnectException e) {
      return Optional.empty();
    }
  }

  String pullAddress() {
    return "tcp://" + HOST + pull;
  }

  String replyAddress() {
    return "tcp://" + HOST + reply;
  }

  /**
   * Asks it.
   *
   * @throws IOException if it doesn't answer
   */
  Counted counted() throws IOException, InterruptedException {
    String page = get(METRICS).orElse("");
    if (page.isEmpty()) {
      throw new IOException("No metrics:\n" + program.tail());
    }
    return new Counted(
        sum(page, "operations_total{view=\"memory\""),
        sum(page, "operations_total{view=\"durable\""),
        sum(page, "gaps_total{"),
        sum(page, "messages_lost_total{"));
  }

  private static long sum(String page, String begin) {
    return page.lines()
        .filter(line -> line.startsWith(PREFIX + begin))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  /** The end of its output. */
  String tail() throws IOException {
    return program.tail();
  }

  @Override
  public void close() {
    http.close();
    program.close();
  }
}
