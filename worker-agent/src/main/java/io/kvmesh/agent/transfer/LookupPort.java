package io.kvmesh.agent.transfer;

import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.peer.BatchedGetDoneMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetRetMsg;
import io.kvmesh.common.wire.peer.PeerReply;
import io.kvmesh.common.zmq.Envelope;
import io.kvmesh.common.zmq.EnvelopeException;
import io.kvmesh.common.zmq.MessageHandler;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.SendOutcome;
import io.kvmesh.common.zmq.ZmqSocket;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Takes what comes from a peer's lookup port, over one connection: finds the request that each
 * reply answers, and judges it. A reply's loan is ended as soon as its pages aren't needed any
 * more, which the channel knows; at once if nobody waits for the reply. The thread of the loop.
 */
final class LookupPort implements MessageHandler {

  /** What the link does with what comes. */
  interface Link {
    /** Whether this is the answer to the question that ends the handshake. */
    boolean awaits(OptionalLong requestId);

    /** It came. */
    void probed(PeerReply reply);

    /** Something came, whatever it is. */
    void heard();

    /** A reply was right. */
    void succeeded();

    /** Something couldn't be read; answers whether that ended the connection. */
    boolean unreadable(String reason);

    /** The peer doesn't know us any more, or is another than it was. */
    void greetAgain();

    /** Nothing can come any more. */
    void broken();

    /** The connection went away. */
    void lost();
  }

  private final PeerClient.Context context;
  private final LinkSocket socket;
  private final PeerRequests inFlight;
  private final Link link;
  private final Answers answers;
  private final BorrowedPages borrowed;

  /**
   * @param agreed in the handshake; its channel is closed with this
   */
  LookupPort(
      PeerClient.Context context,
      LinkSocket socket,
      PeerRequests inFlight,
      PeerHandshake.Step.Agreed agreed,
      Link link) {
    this.context = context;
    this.socket = socket;
    this.inFlight = inFlight;
    this.link = link;
    this.answers = new Answers(agreed.channel(), agreed.epoch(), context.traffic());
    this.borrowed = new BorrowedPages(context.loop()::run, this::sayDone);
  }

  private boolean sayDone(long loan) {
    return socket.send(context.nextRequestId(), new BatchedGetDoneMsg(loan)) == SendOutcome.SENT;
  }

  /** Looks at what nothing tells. */
  void tick() {
    borrowed.tellOwner();
    if (answers.channel().broken()) {
      link.broken();
    }
  }

  /** The connection is closed. */
  void close() {
    borrowed.close();
    answers.channel().close();
  }

  @Override
  public void onMessage(ZmqSocket from, Multipart message) {
    link.heard();
    boolean kept = false;
    try {
      kept = take(message, Envelope.split(message));
    } catch (EnvelopeException e) {
      unreadable(message, OptionalLong.empty(), String.valueOf(e.getMessage()));
    } finally {
      if (!kept) {
        message.release();
      }
    }
  }

  private boolean take(Multipart message, Envelope.Content content) {
    try {
      byte[] payload = socket.payloadOf(content);
      return take(content, context.codec().decode(PeerReply.class, payload));
    } catch (WireFormatException | BrokenSealException e) {
      OptionalLong id = content.envelope().requestId();
      unreadable(message, id, String.valueOf(e.getMessage()));
      return false;
    }
  }

  /** Answers whether the message's buffers are in use. */
  private boolean take(Envelope.Content content, PeerReply reply) {
    OptionalLong id = content.envelope().requestId();
    BorrowedPages.Loan loan = borrowed.loan(loanOf(reply));
    if (link.awaits(id)) {
      loan.end();
      link.probed(reply);
      return false;
    }
    PeerRequests.Request request = id.isPresent() ? inFlight.remove(id.getAsLong()) : null;
    if (request == null || request.isDone()) {
      loan.end();
      context.counters().count(PullCount.FOREIGN_REPLY);
      return false;
    }
    return switch (request) {
      case PeerRequests.Get get ->
          take(get, new ReplyBodies(id.getAsLong(), content.body()), reply, loan);
      case PeerRequests.Put put -> {
        loan.end();
        yield take(put, reply);
      }
    };
  }

  private boolean take(
      PeerRequests.Get get, ReplyBodies bodies, PeerReply reply, BorrowedPages.Loan loan) {
    GetAnswer answer = answers.read(reply, bodies, get.keys().size(), loan);
    judge(answer);
    boolean kept = get.complete(answer) && answer instanceof GetAnswer.Delivered;
    greetAgainIfAsked(answer);
    return kept;
  }

  private boolean take(PeerRequests.Put put, PeerReply reply) {
    PutAnswer answer = PutAnswer.of(reply, put.batch().keys().size(), answers.ownerEpoch());
    if (answer instanceof PutAnswer.Failed failed) {
      judge(failed.why());
    } else {
      link.succeeded();
    }
    put.answer().complete(answer);
    if (answer instanceof PutAnswer.Failed failed) {
      greetAgainIfAsked(failed.why());
    }
    return false;
  }

  private void judge(GetAnswer answer) {
    if (answer instanceof GetAnswer.Delivered) {
      link.succeeded();
    } else if (answer instanceof GetAnswer.Garbled garbled) {
      link.unreadable(garbled.reason());
    }
  }

  private void greetAgainIfAsked(GetAnswer answer) {
    if (answer instanceof GetAnswer.Refused refused && refused.mayBeAskedAnew()) {
      link.greetAgain();
    }
  }

  /** A request whose answer can't be read gets no other one. */
  private void unreadable(Multipart message, OptionalLong id, String reason) {
    context.refused().refuse(message, reason);
    if (link.unreadable(reason)) {
      return;
    }
    PeerRequests.Request request = id.isPresent() ? inFlight.remove(id.getAsLong()) : null;
    if (request != null) {
      request.fail(new GetAnswer.Garbled(reason));
    }
  }

  private static @Nullable Long loanOf(PeerReply reply) {
    return reply instanceof BatchedLookupAndGetRetMsg found ? found.loanId() : null;
  }

  @Override
  public void onConnectionLost(ZmqSocket from) {
    link.lost();
  }
}
