package io.kvmesh.agent.transfer;

import io.kvmesh.common.count.Counters;
import io.kvmesh.common.wire.Message;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.peer.P2PErrorMsg;
import io.kvmesh.common.zmq.Envelope;
import io.kvmesh.common.zmq.EnvelopeException;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.RefusedFrames;
import io.kvmesh.common.zmq.SendOutcome;
import io.kvmesh.common.zmq.SocketLoop;
import io.kvmesh.common.zmq.ZmqSocket;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How one of the doors for peers answers, and refuses what can't be answered. Belongs to the thread
 * of the server's loop.
 */
final class DoorReplies {

  private static final Logger LOG = LoggerFactory.getLogger(DoorReplies.class);

  private final MessageCodec codec;

  /** Null where nothing is sealed. */
  private final @Nullable SealedSessions sessions;

  private final SocketLoop loop;
  private final RefusedFrames refused;
  private final Counters<ServerCount> counters;

  DoorReplies(
      MessageCodec codec,
      @Nullable SealedSessions sessions,
      SocketLoop loop,
      RefusedFrames refused,
      Counters<ServerCount> counters) {
    this.codec = codec;
    this.sessions = sessions;
    this.loop = loop;
    this.refused = refused;
    this.counters = counters;
  }

  SendOutcome send(ZmqSocket socket, Envelope envelope, Message reply, List<Frame> bodies) {
    SendOutcome outcome = transmit(socket, envelope, codec.encode(reply), bodies);
    if (outcome != SendOutcome.SENT) {
      counters.count(ServerCount.REPLY_LOST);
      LOG.debug("A reply to {} is lost: {}", envelope.peer(), outcome);
    }
    return outcome;
  }

  private SendOutcome transmit(
      ZmqSocket socket, Envelope envelope, byte[] payload, List<Frame> bodies) {
    if (sessions == null) {
      return socket.send(envelope.with(payload, bodies));
    }
    SealedSessions.Sealed sealed =
        sessions.seal(envelope.peer(), envelope.requestId(), payload, bodies);
    return sealed == null
        ? SendOutcome.UNREACHABLE
        : socket.send(envelope.with(sealed.payload(), sealed.bodies()));
  }

  /** From any thread. */
  void sendLater(ZmqSocket socket, Envelope envelope, Message reply) {
    if (!loop.run(() -> send(socket, envelope, reply, List.of()))) {
      counters.count(ServerCount.REPLY_LOST);
    }
  }

  /** Answers a message that can't be read with an error. */
  void refuse(ZmqSocket socket, Envelope envelope, Multipart message, String rule) {
    counters.count(ServerCount.BAD_FRAME);
    refused.refuse(message, rule);
    send(socket, envelope, new P2PErrorMsg(P2PErrorMsg.UNKNOWN_MESSAGE, rule), List.of());
  }

  /** Counts one that can't even be answered. */
  void ignore(Multipart message, EnvelopeException why) {
    counters.count(ServerCount.BAD_FRAME);
    refused.refuse(message, why.getMessage());
  }

  /** What was refused at this door. */
  RefusedFrames refused() {
    return refused;
  }
}
