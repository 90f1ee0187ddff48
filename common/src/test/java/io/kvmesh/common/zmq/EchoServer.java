package io.kvmesh.common.zmq;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A ROUTER on a loop that answers each message with its own payload and body. */
final class EchoServer implements AutoCloseable {

  private final SocketLoop loop;
  private final ZmqSocket socket;
  private final BlockingQueue<PeerId> gone = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> refused = new LinkedBlockingQueue<>();

  EchoServer(ZmqSockets sockets, SocketSettings settings) throws IOException {
    loop = new SocketLoop("echo", sockets, 100);
    loop.start();
    socket = loop.bind(SocketKind.ROUTER, "tcp://127.0.0.1:0", settings, new Echo());
  }

  private final class Echo implements MessageHandler {

    @Override
    public void onMessage(ZmqSocket router, Multipart message) {
      try {
        Envelope.Content content = Envelope.splitRouted(message);
        List<Frame> body = content.body().stream().map(frame -> Frame.of(frame.toArray())).toList();
        router.send(content.envelope().with(content.payload(), body));
      } catch (EnvelopeException e) {
        refused.add(message + ": " + e.getMessage());
      }
      message.release();
    }

    @Override
    public void onPeerGone(ZmqSocket router, PeerId peer) {
      gone.add(peer);
    }
  }

  String endpoint() {
    return socket.endpoint();
  }

  int port() {
    return socket.port();
  }

  SocketLoop loop() {
    return loop;
  }

  BlockingQueue<PeerId> gone() {
    return gone;
  }

  BlockingQueue<String> refused() {
    return refused;
  }

  @Override
  public void close() {
    loop.close();
  }
}
