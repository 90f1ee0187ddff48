package io.kvmesh.controller.it;

import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.control.ControlReply;
import io.kvmesh.common.wire.control.ControlRequest;
import io.kvmesh.common.zmq.Envelope;
import io.kvmesh.common.zmq.EnvelopeException;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketLoop;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import java.io.IOException;
import java.util.function.Function;

/** A worker's control socket; the script makes the replies. */
final class ControlDoor implements AutoCloseable {

  private final MessageCodec codec = new MessageCodec();
  private final ZmqSockets sockets = new ZmqSockets();
  private final SocketLoop loop = new SocketLoop("scripted-worker", sockets, 100);
  private final ZmqSocket socket;
  private volatile Function<ControlRequest, ControlReply> script;

  ControlDoor(Function<ControlRequest, ControlReply> script) throws IOException {
    this.script = script;
    loop.start();
    this.socket =
        loop.bind(
            SocketKind.ROUTER,
            "tcp://127.0.0.1:0",
            SocketSettings.DEFAULT,
            (router, message) -> {
              try {
                Envelope.Content content = Envelope.splitRouted(message);
                ControlRequest request = codec.decode(ControlRequest.class, content.payload());
                router.send(content.envelope().with(codec.encode(this.script.apply(request))));
              } catch (EnvelopeException | WireFormatException e) {
                throw new IllegalStateException(e);
              }
            });
  }

  void script(Function<ControlRequest, ControlReply> next) {
    script = next;
  }

  int port() {
    return socket.port();
  }

  @Override
  public void close() {
    loop.close();
    sockets.close();
  }
}
