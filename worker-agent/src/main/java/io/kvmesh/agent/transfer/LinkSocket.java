package io.kvmesh.agent.transfer;

import io.kvmesh.common.wire.Message;
import io.kvmesh.common.zmq.Envelope;
import io.kvmesh.common.zmq.MessageHandler;
import io.kvmesh.common.zmq.SendOutcome;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSocket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The one socket that a link has at a time, if it has one. The thread of the loop. */
final class LinkSocket {

  private final PeerClient.Context context;
  private final byte[] unknownSeal;
  private @Nullable ZmqSocket socket;
  private @Nullable FrameSeal seal;

  LinkSocket(PeerClient.Context context) {
    this.context = context;
    this.unknownSeal = context.codec().encode(SealedSessions.UNKNOWN);
  }

  /**
   * Connects to an init port; what was open is closed.
   *
   * @throws IOException if the address is malformed or can't be resolved
   */
  void greet(String hostPort, MessageHandler handler) throws IOException {
    open(hostPort, handler, context.settings().sockets());
  }

  /**
   * Connects to a lookup port; what was open is closed.
   *
   * @param under what messages are sealed; null = they aren't
   * @throws IOException if the address is malformed or can't be resolved
   */
  void ask(String hostPort, MessageHandler handler, @Nullable FrameSeal under) throws IOException {
    open(hostPort, handler, context.settings().sockets().withoutKeys());
    seal = under;
  }

  private void open(String hostPort, MessageHandler handler, SocketSettings settings)
      throws IOException {
    close();
    socket = context.loop().connect(SocketKind.DEALER, "tcp://" + hostPort, settings, handler);
  }

  /** Queues a message; unreachable where nothing is open. */
  SendOutcome send(long id, Message message) {
    ZmqSocket open = socket;
    if (open == null) {
      return SendOutcome.UNREACHABLE;
    }
    byte[] payload = context.codec().encode(message);
    byte[] said = seal == null ? payload : seal.seal(id, 0, ByteBuffer.wrap(payload));
    return open.send(Envelope.ofRequest(id).with(said));
  }

  /**
   * What a message that came says.
   *
   * @throws BrokenSealException if it should be sealed and isn't; but for an owner that says that
   *     it knows no such seal
   */
  byte[] payloadOf(Envelope.Content message) throws BrokenSealException {
    FrameSeal under = seal;
    if (under == null || Arrays.equals(message.payload(), unknownSeal)) {
      return message.payload();
    }
    OptionalLong id = message.envelope().requestId();
    if (id.isEmpty()) {
      throw new BrokenSealException("a sealed message answers a request");
    }
    return under.open(id.getAsLong(), 0, message.payload());
  }

  /** Closes it, if it is open. */
  void close() {
    if (socket != null) {
      context.loop().close(socket);
      socket = null;
      seal = null;
    }
  }
}
