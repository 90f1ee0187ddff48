package io.kvmesh.common.zmq;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;

class RingTakerTest {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final ZmqSockets sockets = new ZmqSockets();

  @AfterEach
  void allSocketsWereClosed() {
    assertThat(sockets.close(PATIENCE)).isTrue();
  }

  @Test
  void canTake_thisVersionOfJeromq_canForEachKind() {
    try (ZMQ.Context context = ZMQ.context(1)) {
      for (SocketType type : List.of(SocketType.ROUTER, SocketType.PULL, SocketType.SUB)) {
        try (ZMQ.Socket socket = context.socket(type)) {
          assertThat(new RingTaker(socket.base()).canTake()).as("%s", type).isTrue();
        }
      }
    }
  }

  @Test
  void takeRing_messageThere_bellIsQuietAndTheMessageStillComes() throws Exception {
    try (ZmqSocket server = sockets.bind(SocketKind.PULL, "tcp://127.0.0.1:0");
        ZmqSocket client = sockets.connect(SocketKind.PUSH, server.endpoint());
        Selector selector = Selector.open()) {
      server.bell().register(selector, SelectionKey.OP_READ);
      for (int i = 0; i < 500; i++) {
        byte[] sent = {(byte) i};
        client.send(sent);
        Multipart received = null;
        while (received == null) {
          received = takenThenReceived(server, selector);
        }
        assertThat(received.frames().getFirst().toArray()).isEqualTo(sent);
        // Only who was told that there is nothing is rung for what comes next.
        assertThat(server.receive((any, message) -> {})).isFalse();
      }
    }
  }

  /** The ring is gone before the socket is asked; the message may have another one to come. */
  private static @Nullable Multipart takenThenReceived(ZmqSocket server, Selector selector)
      throws IOException {
    if (selector.select(PATIENCE.toMillis()) == 0) {
      throw new AssertionError("No ring");
    }
    selector.selectedKeys().clear();
    server.takeRing();
    return server.receive(Duration.ZERO);
  }
}
