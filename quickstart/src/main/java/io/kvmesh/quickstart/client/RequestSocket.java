package io.kvmesh.quickstart.client;

import io.kvmesh.common.zmq.Envelope;
import io.kvmesh.common.zmq.EnvelopeException;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.SendOutcome;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Asks one server, one request at a time; a reply to a request that was given up is dropped. Owned
 * by the thread that made it, which may be interrupted.
 */
final class RequestSocket implements AutoCloseable {

  private static final Duration SLICE = Duration.ofMillis(100);

  private final String server;
  private final ZmqSocket socket;
  private long lastId;

  private RequestSocket(String server, ZmqSocket socket) {
    this.server = server;
    this.socket = socket;
  }

  /**
   * @param server name for messages
   * @param endpoint tcp://host:port
   */
  static RequestSocket connect(
      ZmqSockets sockets, String server, String endpoint, SocketSettings settings)
      throws ClientException {
    try {
      return new RequestSocket(server, sockets.connect(SocketKind.DEALER, endpoint, settings));
    } catch (IOException e) {
      throw new ClientException(server + ": " + e.getMessage(), e);
    }
  }

  byte[] request(byte[] payload, Duration timeout) throws ClientException, InterruptedException {
    long id = ++lastId;
    SendOutcome sent = socket.send(Envelope.ofRequest(id).with(payload, List.of()));
    if (sent != SendOutcome.SENT) {
      throw new ClientException(server + " can't be asked: " + sent);
    }
    long end = System.nanoTime() + timeout.toNanos();
    while (System.nanoTime() - end < 0) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      Multipart message = socket.receive(SLICE);
      Optional<byte[]> reply = message == null ? Optional.empty() : reply(id, message);
      if (reply.isPresent()) {
        return reply.get();
      }
    }
    throw new ClientException(server + " doesn't answer within " + timeout.toSeconds() + " s");
  }

  private Optional<byte[]> reply(long id, Multipart message) throws ClientException {
    try {
      Envelope.Content content = Envelope.split(message);
      if (content.envelope().requestId().orElse(-1) != id) {
        return Optional.empty();
      }
      return Optional.of(content.payload());
    } catch (EnvelopeException e) {
      throw new ClientException(server + " sent what can't be read: " + e.getMessage(), e);
    } finally {
      message.release();
    }
  }

  @Override
  public void close() {
    socket.close();
  }
}
