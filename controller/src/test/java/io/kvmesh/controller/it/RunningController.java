package io.kvmesh.controller.it;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.directory.DirectoryMessage;
import io.kvmesh.common.wire.directory.DirectoryReply;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import io.kvmesh.controller.ControllerApplication;
import io.kvmesh.controller.lmcache.DirectoryFront;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A controller in this JVM, on free ports, asked from outside. */
final class RunningController implements AutoCloseable {

  static final Duration WAIT = Duration.ofSeconds(60);

  private final ConfigurableApplicationContext context;
  private final HttpClient http = HttpClient.newHttpClient();
  private final JsonMapper json = new JsonMapper();
  private final MessageCodec codec = new MessageCodec();
  private final ZmqSockets sockets = new ZmqSockets();

  private RunningController(ConfigurableApplicationContext context) {
    this.context = context;
  }

  /** Starts one with these settings on top. */
  static RunningController start(String... settings) {
    List<String> arguments = new ArrayList<>(List.of(settings));
    arguments.add("--server.port=0");
    arguments.add("--kvmesh.zmq.pull-bind=tcp://127.0.0.1:0");
    arguments.add("--kvmesh.zmq.reply-bind=tcp://127.0.0.1:0");
    arguments.add("--kvmesh.zmq.heartbeat-bind=tcp://127.0.0.1:0");
    return new RunningController(ControllerApplication.start(arguments.toArray(String[]::new)));
  }

  /** Where its REST is. */
  String base() {
    return "http://127.0.0.1:"
        + Objects.requireNonNull(((ServletWebServerApplicationContext) context).getWebServer())
            .getPort();
  }

  int status(String path) throws IOException, InterruptedException {
    return http.send(request(path).build(), BodyHandlers.discarding()).statusCode();
  }

  String text(String path) throws IOException, InterruptedException {
    return http.send(request(path).build(), BodyHandlers.ofString()).body();
  }

  JsonNode get(String path) throws IOException, InterruptedException {
    return json.readTree(text(path));
  }

  JsonNode post(String path, String body) throws IOException, InterruptedException {
    HttpRequest request =
        request(path)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    return json.readTree(http.send(request, BodyHandlers.ofString()).body());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(base() + path)).timeout(WAIT);
  }

  boolean isReady() throws IOException, InterruptedException {
    return status("/actuator/health/readiness") == 200;
  }

  /** Waits over REST until the view has the operation. */
  JsonNode applied(WorkerId worker, long epoch, long sequence)
      throws IOException, InterruptedException {
    String instance = URLEncoder.encode(worker.instanceId(), StandardCharsets.UTF_8);
    return get(
        "/api/v1/workers/%s/%d/applied?epoch=%d&sequence=%d&timeoutMillis=30000"
            .formatted(instance, worker.rank(), epoch, sequence));
  }

  int replyPort() {
    return context.getBean(DirectoryFront.class).replyPort();
  }

  int pullPort() {
    return context.getBean(DirectoryFront.class).pullPort();
  }

  /** Asks over the reply socket. */
  DirectoryReply ask(DirectoryMessage question) throws Exception {
    int port = replyPort();
    try (ZmqSocket req = sockets.connect(SocketKind.REQ, "tcp://127.0.0.1:" + port)) {
      req.send(codec.encode(question));
      Multipart answer = req.receive(WAIT);
      if (answer == null) {
        throw new IllegalStateException("no answer to " + question);
      }
      return codec.decode(DirectoryReply.class, answer.frames().getLast().toArray());
    }
  }

  /** A socket to the pull port. */
  ZmqSocket push() throws IOException {
    return sockets.connect(SocketKind.PUSH, "tcp://127.0.0.1:" + pullPort());
  }

  byte[] encode(DirectoryMessage message) {
    return codec.encode(message);
  }

  @Override
  public void close() {
    context.close();
    sockets.close();
  }
}
