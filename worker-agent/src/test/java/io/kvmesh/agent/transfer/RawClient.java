package io.kvmesh.agent.transfer;

import io.kvmesh.common.wire.Message;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.zmq.Envelope;
import io.kvmesh.common.zmq.EnvelopeException;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sends what a test wants to one door, as it stands, and reads what comes. One thread. */
public final class RawClient implements AutoCloseable {

  private static final Duration LONG = Duration.ofSeconds(40);

  private final ZmqSockets sockets;
  private final ZmqSocket socket;
  private final MessageCodec codec = new MessageCodec();
  private long nextId = 1;

  private RawClient(ZmqSockets sockets, ZmqSocket socket) {
    this.sockets = sockets;
    this.socket = socket;
  }

  private static RawClient connected(SocketKind kind, String address, SocketSettings settings)
      throws IOException {
    ZmqSockets sockets = new ZmqSockets();
    return new RawClient(sockets, sockets.connect(kind, "tcp://" + address, settings));
  }

  /** Our own kind of client. */
  public static RawClient dealer(String address) throws IOException {
    return dealer(address, SocketSettings.DEFAULT);
  }

  /** The same with other settings. */
  public static RawClient dealer(String address, SocketSettings settings) throws IOException {
    return connected(SocketKind.DEALER, address, settings);
  }

  /** LMCache's kind of client. */
  public static RawClient req(String address) throws IOException {
    return connected(SocketKind.REQ, address, SocketSettings.DEFAULT);
  }

  /** A door at which nobody ever answers. */
  public static RawClient silentServer() throws IOException {
    ZmqSockets sockets = new ZmqSockets();
    return new RawClient(
        sockets, sockets.bind(SocketKind.ROUTER, "tcp://127.0.0.1:0", SocketSettings.DEFAULT));
  }

  /** The port of a door. */
  public int port() {
    return socket.port();
  }

  /** An answer and what follows it. */
  public record Answer<T>(T message, List<byte[]> bodies) {}

  /** Sends a message and waits for its answer, which must be of this family. */
  public <T extends Message> T ask(Class<T> family, Message message) {
    return askForAll(family, message, List.of()).message();
  }

  /** The same with bodies in both directions. */
  public <T extends Message> Answer<T> askForAll(
      Class<T> family, Message message, List<byte[]> bodies) {
    tell(message, bodies);
    return answer(family);
  }

  /** Sends a message that has no answer, or whose answer is read later. */
  public void tell(Message message, List<byte[]> bodies) {
    List<Frame> frames = bodies.stream().map(Frame::of).toList();
    byte[] payload = codec.encode(message);
    if (socket.kind() == SocketKind.REQ) {
      List<Frame> all = new ArrayList<>();
      all.add(Frame.of(payload));
      all.addAll(frames);
      socket.send(all);
    } else {
      socket.send(Envelope.ofRequest(nextId++).with(payload, frames));
    }
  }

  /** Sends frames as they are. */
  public void tellRaw(byte[]... frames) {
    List<Frame> all = new ArrayList<>();
    for (byte[] frame : frames) {
      all.add(Frame.of(frame));
    }
    socket.send(all);
  }

  /** Waits for a message of this family. */
  public <T extends Message> Answer<T> answer(Class<T> family) {
    Multipart message = receive(LONG);
    if (message == null) {
      throw new AssertionError("no answer");
    }
    try {
      List<Frame> frames = message.frames();
      byte[] payload;
      if (socket.kind() == SocketKind.REQ) {
        payload = frames.getFirst().toArray();
        frames = frames.subList(1, frames.size());
      } else {
        Envelope.Content content = Envelope.split(message);
        payload = content.payload();
        frames = content.body();
      }
      List<byte[]> bodies = frames.stream().map(frame -> frame.toArray().clone()).toList();
      return new Answer<>(codec.decode(family, payload), bodies);
    } catch (EnvelopeException | WireFormatException e) {
      throw new AssertionError(message + ": " + e.getMessage(), e);
    } finally {
      message.release();
    }
  }

  /** Waits for a message; null if none comes. */
  public @Nullable Multipart receive(Duration atMost) {
    return socket.receive(atMost);
  }

  @Override
  public void close() {
    socket.close();
    sockets.close();
  }
}
