package io.kvmesh.common.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvmesh.common.wire.engine.CloseSessionMsg;
import io.kvmesh.common.wire.engine.EngineCancelMsg;
import io.kvmesh.common.wire.engine.EngineReleaseMsg;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EngineConnectionTest {

  /** More than those that wait here and those that its socket takes. */
  private static final int RELEASES = 80_000;

  private static final Duration SHORT = Duration.ofSeconds(5);
  private static final Duration WAIT = Duration.ofSeconds(20);

  @Test
  void releasesForAnAgentThatTakesNone_areBoundedAndThoseTooManyCounted() throws Exception {
    EngineClientSettings settings = EngineClientSettings.of("tcp://127.0.0.1:9", "client");
    try (ZmqSockets sockets = new ZmqSockets();
        EngineConnection connection =
            new EngineConnection(
                sockets, settings, reply -> Optional.empty(), id -> new EngineCancelMsg(0, id))) {
      connection.start(settings);

      for (int i = 0; i < RELEASES; i++) {
        connection.tell(new EngineReleaseMsg(0, i));
      }

      assertThat(connection.untold()).isBetween(1L, RELEASES - 65_536L);
    }
  }

  @Test
  void messagesThatAnswerNoRequest_areCounted_andAtTheDeadlineTold() throws Exception {
    try (ZmqSockets sockets = new ZmqSockets();
        ZmqSocket agent = sockets.bind(SocketKind.ROUTER, "tcp://127.0.0.1:*");
        EngineConnection connection =
            new EngineConnection(
                sockets,
                EngineClientSettings.of(agent.endpoint(), "client"),
                reply -> Optional.empty(),
                id -> new EngineCancelMsg(0, id))) {
      connection.start(EngineClientSettings.of(agent.endpoint(), "client"));
      FutureTask<EngineConnection.Answer> asked =
          new FutureTask<>(() -> connection.ask(new CloseSessionMsg(1), List.of(), SHORT));
      Thread.ofPlatform().daemon().start(asked);
      Multipart request = agent.receive(WAIT);
      assertThat(request).isNotNull();
      Frame client = request.frames().getFirst();

      agent.send(List.of(client, Frame.EMPTY));
      agent.send(List.of(client, Frame.of(new byte[] {1})));
      agent.send(List.of(client, Frame.of(new byte[3]), Frame.EMPTY, Frame.of(new byte[] {1})));

      assertThatThrownBy(asked::get)
          .cause()
          .isInstanceOf(EngineClientException.class)
          .hasMessageEndingWith("3 of its messages were unreadable");
      assertThat(connection.unreadable()).isEqualTo(3);
    }
  }
}
