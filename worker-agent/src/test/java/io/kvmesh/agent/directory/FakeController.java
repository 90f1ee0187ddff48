package io.kvmesh.agent.directory;

import io.kvmesh.common.wire.Message;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.directory.DirectoryRequest;
import io.kvmesh.common.zmq.Envelope;
import io.kvmesh.common.zmq.EnvelopeException;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketLoop;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A controller's reply socket that answers as a test tells it. */
public final class FakeController implements AutoCloseable {

  public final List<DirectoryRequest> asked = new CopyOnWriteArrayList<>();
  private final ZmqSockets sockets = new ZmqSockets();
  private final SocketLoop loop = new SocketLoop("fake-controller", sockets, 64);
  private final MessageCodec codec = new MessageCodec();
  private final ZmqSocket socket;
  private volatile Function<DirectoryRequest, @Nullable Message> script;

  /** Null from the script is no answer. */
  public FakeController(Function<DirectoryRequest, @Nullable Message> script) throws IOException {
    this(SocketSettings.DEFAULT, script);
  }

  /** The same with other settings of its socket. */
  public FakeController(
      SocketSettings settings, Function<DirectoryRequest, @Nullable Message> script)
      throws IOException {
    this.script = script;
    loop.start();
    socket =
        loop.bind(
            SocketKind.ROUTER, "tcp://127.0.0.1:0", settings, (from, message) -> answer(message));
  }

  void fromNowOn(Function<DirectoryRequest, @Nullable Message> other) {
    script = other;
  }

  public String address() {
    return "127.0.0.1:" + socket.port();
  }

  private void answer(Multipart message) {
    try {
      Envelope.Content content = Envelope.splitRouted(message);
      DirectoryRequest request = codec.decode(DirectoryRequest.class, content.payload());
      asked.add(request);
      Message reply = script.apply(request);
      if (reply != null) {
        socket.send(content.envelope().with(codec.encode(reply)));
      }
    } catch (EnvelopeException | WireFormatException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    loop.close();
    sockets.close();
  }
}
