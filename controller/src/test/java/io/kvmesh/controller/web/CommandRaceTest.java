package io.kvmesh.controller.web;

import static io.kvmesh.controller.fixture.Workers.CPU;
import static io.kvmesh.controller.fixture.Workers.foreign;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.control.ClearWorkerMsg;
import io.kvmesh.common.wire.control.ClearWorkerRetMsg;
import io.kvmesh.common.wire.control.ControlReply;
import io.kvmesh.common.wire.control.ControlRequest;
import io.kvmesh.common.wire.control.HealthWorkerMsg;
import io.kvmesh.common.wire.control.HealthWorkerRetMsg;
import io.kvmesh.common.wire.control.PinWorkerMsg;
import io.kvmesh.common.wire.control.PinWorkerRetMsg;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketLoop;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import io.kvmesh.controller.command.ZmqWorkerCommandClient;
import io.kvmesh.controller.fixture.Workers;
import io.kvmesh.controller.registry.WorkerRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Many requests at once over real sockets: every answer belongs to its request. */
@ResourceLock(RestFixture.SHARED)
@SpringBootTest(
    classes = RestFixture.class,
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = "spring.config.name=controller")
class CommandRaceTest {

  private static final int WORKERS = 10;
  private static final int CALLS = 200;

  private final MessageCodec codec = new MessageCodec();
  private final ZmqSockets sockets = new ZmqSockets();
  private final SocketLoop workers = new SocketLoop("scripted-workers", sockets, 100);
  private final ZmqWorkerCommandClient commands =
      new ZmqWorkerCommandClient(sockets, SocketSettings.DEFAULT);
  @LocalServerPort private int port;
  @Autowired private RestFixture.Script script;
  @Autowired private WorkerRegistry registry;

  @BeforeEach
  void start() throws Exception {
    workers.start();
    commands.start();
    script.client = commands;
    for (int i = 0; i < WORKERS; i++) {
      int worker = i;
      ZmqSocket socket =
          workers.bind(
              SocketKind.REP,
              "tcp://127.0.0.1:0",
              SocketSettings.DEFAULT,
              (rep, message) -> rep.send(codec.encode(reply(worker, message))));
      Announcement told = foreign("url");
      registry.put(
          Workers.live(
              new WorkerId("W" + i, 0),
              i,
              new Announcement(
                  told.kind(),
                  "127.0.0.1",
                  socket.port(),
                  "url",
                  null,
                  null,
                  null,
                  null,
                  null,
                  null,
                  null,
                  List.of())));
    }
  }

  /** Of pins the tokens' sum, so that an answer tells which request it is of. */
  private ControlReply reply(int worker, Multipart message) {
    try {
      return switch (codec.decode(ControlRequest.class, message.frames().getLast().toArray())) {
        case PinWorkerMsg pin ->
            new PinWorkerRetMsg(pin.tokens().stream().mapToLong(Long::longValue).sum());
        case HealthWorkerMsg health -> new HealthWorkerRetMsg(worker);
        case ClearWorkerMsg clear ->
            new ClearWorkerRetMsg(Long.parseLong(clear.location()) * 100 + worker);
        default -> throw new IllegalStateException("not scripted");
      };
    } catch (WireFormatException e) {
      throw new IllegalStateException(e);
    }
  }

  @AfterEach
  void stop() {
    script.client = RestFixture.Script::done;
    for (int i = 0; i < WORKERS; i++) {
      registry.remove(new WorkerId("W" + i, 0));
    }
    commands.close();
    workers.close();
    assertThat(sockets.close(Duration.ofSeconds(20))).isTrue();
  }

  @Test
  void manyCallsAtOnce_haveTheirOwnAnswers() throws Exception {
    RestClient client = new RestClient(port);
    Set<String> ids = ConcurrentHashMap.newKeySet();
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> calls = new ArrayList<>();
      for (int i = 0; i < CALLS; i++) {
        int call = i;
        calls.add(callers.submit(() -> ids.add(call(client, call))));
      }
      for (Future<?> call : calls) {
        call.get(60, TimeUnit.SECONDS);
      }
    }
    assertThat(ids).hasSize(CALLS);
    await().until(() -> sockets.stats().openSockets() == WORKERS);
  }

  /** The answer's event id, when it has been found right. */
  private static String call(RestClient client, int call) throws Exception {
    int worker = call % WORKERS;
    String instance = "\"instance_id\":\"W" + worker + "\"";
    return switch (call / WORKERS % 4) {
      case 0 -> {
        RestClient.Answer pin =
            client.post(
                "/pin",
                "{%s,\"location\":\"%s\",\"tokens\":[%d,1000]}".formatted(instance, CPU, call));
        assertThat(pin.at("/num_tokens").asLong()).as(pin.text()).isEqualTo(1000L + call);
        yield pin.at("/event_id").asString();
      }
      case 1 -> {
        RestClient.Answer clear =
            client.post("/clear", "{%s,\"location\":\"%d\"}".formatted(instance, call));
        assertThat(clear.at("/num_tokens").asLong())
            .as(clear.text())
            .isEqualTo(100L * call + worker);
        yield clear.at("/event_id").asString();
      }
      case 2 -> {
        RestClient.Answer health = client.post("/health", "{" + instance + "}");
        assertThat(health.at("/error_codes/0").asInt()).as(health.text()).isEqualTo(worker);
        yield health.at("/event_id").asString();
      }
      default -> {
        RestClient.Answer lookup = client.post("/lookup", "{\"tokens\":[" + call + "]}");
        assertThat(lookup.at("/layout_info")).hasToString("{}");
        yield lookup.at("/event_id").asString();
      }
    };
  }
}
