package io.kvmesh.agent.transfer;

import io.kvmesh.common.count.Counters;
import io.kvmesh.common.trace.Traced;
import io.kvmesh.common.trace.Traceparent;
import io.kvmesh.common.trace.Traces;
import io.kvmesh.common.wire.Message;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.peer.BatchedGetDoneMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetRetMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndPutMsg;
import io.kvmesh.common.wire.peer.BatchedPutDoneMsg;
import io.kvmesh.common.wire.peer.P2PErrorMsg;
import io.kvmesh.common.wire.peer.PeerRequest;
import io.kvmesh.common.zmq.Envelope;
import io.kvmesh.common.zmq.EnvelopeException;
import io.kvmesh.common.zmq.MessageHandler;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.PeerId;
import io.kvmesh.common.zmq.SendOutcome;
import io.kvmesh.common.zmq.ZmqSocket;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the requests of peers: for chunks, to take chunks, and what they say once they are done.
 * Belongs to the thread of the server's loop.
 */
final class LookupDoor implements MessageHandler {

  private static final Logger LOG = LoggerFactory.getLogger(LookupDoor.class);

  private final GetDesk gets;
  private final PutDesk puts;
  private final Loans loans;
  private final DoorReplies replies;

  /** Null where nothing is sealed. */
  private final @Nullable SealedSessions sessions;

  private final MessageCodec codec;
  private final Counters<ServerCount> counters;
  private final Traces traces;

  LookupDoor(
      GetDesk gets,
      PutDesk puts,
      Loans loans,
      DoorReplies replies,
      @Nullable SealedSessions sessions,
      MessageCodec codec,
      Counters<ServerCount> counters,
      Traces traces) {
    this.gets = gets;
    this.puts = puts;
    this.loans = loans;
    this.replies = replies;
    this.sessions = sessions;
    this.codec = codec;
    this.counters = counters;
    this.traces = traces;
  }

  @Override
  public void onMessage(ZmqSocket socket, Multipart message) {
    try {
      unseal(socket, message, Envelope.splitAnswerable(message));
    } catch (EnvelopeException e) {
      replies.ignore(message, e);
    } finally {
      message.release();
    }
  }

  /** A requester whose session was forgotten must know that; nobody learns anything else. */
  private void unseal(ZmqSocket socket, Multipart message, Envelope.Content content) {
    Envelope envelope = content.envelope();
    byte[] payload = content.payload();
    if (sessions == null) {
      decode(socket, message, envelope, payload);
      return;
    }
    try {
      byte[] plain = sessions.open(envelope.peer(), envelope.requestId(), payload);
      decode(socket, message, envelope, plain);
    } catch (BrokenSealException e) {
      counters.count(ServerCount.UNSEALED);
      replies.refused().refuse(message, e.getMessage());
      if (sessions.isOfUnknownSession(payload)) {
        socket.send(envelope.with(codec.encode(SealedSessions.UNKNOWN)));
      }
    }
  }

  private void decode(ZmqSocket socket, Multipart message, Envelope envelope, byte[] payload) {
    try {
      answer(socket, envelope, codec.decode(PeerRequest.class, payload));
    } catch (WireFormatException e) {
      replies.refuse(socket, envelope, message, String.valueOf(e.getMessage()));
    }
  }

  private void answer(ZmqSocket socket, Envelope envelope, PeerRequest request) {
    switch (request) {
      case BatchedLookupAndGetMsg get -> take(socket, envelope, get);
      case BatchedGetDoneMsg done -> {
        boolean ended = loans.end(envelope.peer(), done.loanId());
        counters.count(ended ? ServerCount.LOAN_DONE : ServerCount.UNKNOWN_LOAN);
      }
      case BatchedPutDoneMsg done -> puts.end(done);
      case BatchedLookupAndPutMsg put ->
          puts.take(put, reply -> replies.sendLater(socket, envelope, reply));
    }
  }

  private void take(ZmqSocket socket, Envelope envelope, BatchedLookupAndGetMsg get) {
    if (get.keys().isEmpty()) {
      // A new peer tries the door.
      var _ = serve(socket, envelope, get, traces.untraced());
      return;
    }
    Runnable ifBad = () -> counters.count(ServerCount.BAD_TRACEPARENT);
    Traceparent parent = Traceparent.parse(get.traceparent(), ifBad);
    var _ =
        traces.serveUninterrupted("peer get", parent, span -> serve(socket, envelope, get, span));
  }

  /** Answers whether what it was asked for is on its way. */
  private boolean serve(
      ZmqSocket socket, Envelope envelope, BatchedLookupAndGetMsg get, Traced span) {
    span.tag(Traces.CHUNKS_ASKED, get.keys().size());
    GetDesk.Answer answer;
    try {
      answer = gets.answer(envelope.peer(), get);
    } catch (RuntimeException e) {
      counters.count(ServerCount.SERVER_ERROR);
      LOG.error("A request of {} failed", get.receiverId(), e);
      String detail = e.getClass().getSimpleName();
      replies.send(socket, envelope, new P2PErrorMsg(P2PErrorMsg.SERVER_ERROR, detail), List.of());
      span.tag(Traces.OUTCOME, "failed");
      return false;
    }
    if (answer.reply() instanceof BatchedLookupAndGetRetMsg found) {
      span.tag(Traces.CHUNKS_FOUND, found.numHitChunks());
    }
    boolean sent = send(socket, envelope, answer);
    span.tag(Traces.OUTCOME, outcome(answer.reply(), sent));
    return sent;
  }

  /** Who doesn't get the reply can't say done: its loan ends, also where sealing it failed. */
  private boolean send(ZmqSocket socket, Envelope envelope, GetDesk.Answer answer) {
    boolean sent = false;
    try {
      sent = replies.send(socket, envelope, answer.reply(), answer.bodies()) == SendOutcome.SENT;
    } finally {
      if (!sent && answer.loan() != 0) {
        loans.end(envelope.peer(), answer.loan());
      }
    }
    return sent;
  }

  private static String outcome(Message reply, boolean sent) {
    if (!sent) {
      return "reply_lost";
    }
    return reply instanceof P2PErrorMsg error ? "rejected_" + error.errorCode() : "sent";
  }

  @Override
  public void onPeerGone(ZmqSocket socket, PeerId peer) {
    counters.add(ServerCount.LOAN_GONE, loans.endAllOf(peer));
    if (sessions != null) {
      sessions.gone(peer);
    }
  }
}
