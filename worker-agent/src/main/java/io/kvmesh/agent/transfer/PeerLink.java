package io.kvmesh.agent.transfer;

import io.kvmesh.common.trace.Traceparent;
import io.kvmesh.common.wire.Message;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetRetMsg;
import io.kvmesh.common.wire.peer.PeerReply;
import io.kvmesh.common.zmq.Envelope;
import io.kvmesh.common.zmq.EnvelopeException;
import io.kvmesh.common.zmq.MessageHandler;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.SendOutcome;
import io.kvmesh.common.zmq.Silence;
import io.kvmesh.common.zmq.ZmqSocket;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection to one peer, as a requester. All methods are called by the thread of the loop.
 *
 * <pre>
 *   IDLE -> GREETING (init port) -> PROBING (lookup port) -> READY
 *     ^         any step fails or takes too long: back to IDLE, the peer is passed over for a while
 *     +------------------------- the connection goes away: all requests in flight are lost at once
 * </pre>
 */
final class PeerLink {

  private static final Logger LOG = LoggerFactory.getLogger(PeerLink.class);

  /** So many requests in a row without any answer, and the connection is made anew. */
  private static final int TIMEOUTS_TO_RECONNECT = 3;

  private enum State {
    IDLE,
    GREETING,
    PROBING,
    READY
  }

  private final PeerClient.Context context;
  private final String address;
  private final PassOver passOver;
  private final Silence silence;
  private final LinkSocket socket;
  private final Queue<PeerRequests.Request> waiting = new ArrayDeque<>();
  private final PeerRequests inFlight = new PeerRequests();
  private State state = State.IDLE;
  private @Nullable PeerHandshake handshake;
  private long connectBefore;
  private long awaitedId;
  private @Nullable LookupPort lookups;
  private String lookupAt = "";
  private long ownerEpoch;
  private long lastReplyNanos;
  private long lastUsedNanos;

  PeerLink(PeerClient.Context context, String address) {
    this.context = context;
    this.address = address;
    this.passOver = new PassOver(context.settings().passOverMost());
    this.socket = new LinkSocket(context);
    this.lastUsedNanos = context.nanoTime().getAsLong();
    this.silence = new Silence(lastUsedNanos);
  }

  /** Sends the request now, or once the handshake is done; or answers it at once. */
  void submit(PeerRequests.Request request) {
    long now = context.nanoTime().getAsLong();
    lastUsedNanos = now;
    boolean probe = request instanceof PeerRequests.Get get && get.isProbe();
    if (passOver.isOn(now) && !probe) {
      context.counters().count(PullCount.PASSED_OVER);
      request.fail(new GetAnswer.Unreachable("is being passed over"));
    } else if (waiting.size() + inFlight.size() >= context.settings().maxRequestsPerPeer()) {
      request.fail(new GetAnswer.Unreachable("too many requests in flight"));
    } else if (state == State.READY) {
      send(request);
    } else {
      waiting.add(request);
      if (state == State.IDLE) {
        greet(now);
      }
    }
  }

  /** Looks at the clock. */
  void tick() {
    long now = context.nanoTime().getAsLong();
    if ((state == State.GREETING || state == State.PROBING) && connectBefore - now <= 0) {
      connectFailed(
          "no %s within %d ms"
              .formatted(
                  state == State.GREETING ? "handshake" : "answer at its lookup port " + lookupAt,
                  context.settings().connectTimeout().toMillis()));
    }
    waiting.removeIf(this::expired);
    if (lookups != null) {
      lookups.tick();
    }
    long unanswered = inFlight.expire();
    if (unanswered != 0 && isSilent(unanswered, now)) {
      passOver.failed(now);
      if (passOver.failures() >= TIMEOUTS_TO_RECONNECT) {
        disconnect(new GetAnswer.Lost("answers nothing"));
      }
    }
  }

  /**
   * Whether a wait in vain is held against the peer: if it has answered nothing since then, and
   * been silent for as long as a connection may take, be it in one wait or in several.
   */
  private boolean isSilent(long sinceNanos, long now) {
    return lastReplyNanos - sinceNanos < 0
        && silence.waited(sinceNanos, now) >= context.settings().connectTimeout().toNanos();
  }

  private boolean expired(PeerRequests.Request request) {
    return request.deadline().passed() && request.fail(new GetAnswer.Expired());
  }

  /** Whether nobody has used it for that long, and nobody waits for it. */
  boolean idleFor(long nanos) {
    return inFlight.size() == 0
        && waiting.isEmpty()
        && context.nanoTime().getAsLong() - lastUsedNanos >= nanos;
  }

  /** When it was used last. */
  long lastUsedNanos() {
    return lastUsedNanos;
  }

  /** Requests that wait for an answer. */
  int requests() {
    return waiting.size() + inFlight.size();
  }

  /** The peer sent something wrong. */
  void blame() {
    passOver.failed(context.nanoTime().getAsLong());
  }

  /** Somebody waited in vain since then. */
  void gaveUp(long sinceNanos) {
    if (isSilent(sinceNanos, context.nanoTime().getAsLong())) {
      blame();
    }
  }

  /** Ends it; all requests are answered. */
  void close(String reason) {
    disconnect(new GetAnswer.Unreachable(reason));
    failWaiting(reason);
  }

  private void greet(long now) {
    connectBefore = now + context.settings().connectTimeout().toNanos();
    handshake =
        new PeerHandshake(
            context.codec(),
            context.self(),
            context.ownAddress(),
            context.traffic(),
            context.counters(),
            context.settings().sockets().keys().isPresent());
    if (opened(() -> socket.greet(address, new Greeting()))) {
      state = State.GREETING;
      ask(handshake.introduction());
    }
  }

  private interface Opening {
    void open() throws IOException;
  }

  private boolean opened(Opening opening) {
    try {
      opening.open();
      return true;
    } catch (IOException | RuntimeException e) {
      connectFailed(String.valueOf(e.getMessage()));
      return false;
    }
  }

  /** Sends the one message whose answer brings the handshake on. */
  private void ask(Message message) {
    awaitedId = context.nextRequestId();
    if (socket.send(awaitedId, message) != SendOutcome.SENT) {
      connectFailed("takes no message");
    }
  }

  private void connectFailed(String reason) {
    context.counters().count(PullCount.HANDSHAKE_FAILED);
    LOG.info("No connection to peer {}: {}", address, reason);
    passOver.failed(context.nanoTime().getAsLong());
    disconnect(new GetAnswer.Unreachable(reason));
    failWaiting(reason);
  }

  private void failWaiting(String reason) {
    List<PeerRequests.Request> all = List.copyOf(waiting);
    waiting.clear();
    all.forEach(request -> request.fail(new GetAnswer.Unreachable(reason)));
  }

  private void disconnect(GetAnswer forRequests) {
    socket.close();
    state = State.IDLE;
    if (handshake != null) {
      handshake.close();
      handshake = null;
    }
    if (lookups != null) {
      lookups.close();
      lookups = null;
      context.traffic().closed(address);
    }
    inFlight.failAll(forRequests);
  }

  private void send(PeerRequests.Request request) {
    long id = context.nextRequestId();
    request.sentAt(context.nanoTime().getAsLong());
    inFlight.add(id, request);
    if (socket.send(id, message(request)) != SendOutcome.SENT) {
      inFlight.remove(id);
      request.fail(new GetAnswer.Unreachable("its queue is full"));
    }
  }

  private Message message(PeerRequests.Request request) {
    return switch (request) {
      case PeerRequests.Get get -> get(get.keys(), get.parent());
      case PeerRequests.Put put ->
          put.batch()
              .message(
                  context.ownAddress(),
                  context.self().epoch().getAsLong(),
                  ownerEpoch,
                  put.deadline());
    };
  }

  /** Says something that has no answer, if there is a connection. */
  void tell(Message message) {
    if (state == State.READY) {
      socket.send(context.nextRequestId(), message);
    }
  }

  private BatchedLookupAndGetMsg get(List<String> keys, @Nullable Traceparent parent) {
    return new BatchedLookupAndGetMsg(
        context.nextLookupId(),
        context.ownAddress(),
        keys,
        List.of(),
        context.self().epoch().getAsLong(),
        ownerEpoch,
        parent == null ? null : parent.toString());
  }

  private void ready() {
    context.counters().count(PullCount.HANDSHAKE);
    passOver.succeeded();
    state = State.READY;
    while (state == State.READY && !waiting.isEmpty()) {
      send(waiting.remove());
    }
  }

  private void connectionLost() {
    context.counters().count(PullCount.CONNECTION_LOST);
    LOG.info("Connection to peer {} lost with {} requests in flight", address, inFlight.size());
    passOver.lost(context.nanoTime().getAsLong());
    disconnect(new GetAnswer.Lost("the connection went away"));
  }

  /** Takes the answers of the init port. */
  private final class Greeting implements MessageHandler {

    @Override
    public void onMessage(ZmqSocket from, Multipart message) {
      PeerHandshake current = handshake;
      if (current == null) {
        return;
      }
      try {
        Envelope.Content content = Envelope.split(message);
        if (!content.envelope().requestId().equals(OptionalLong.of(awaitedId))) {
          context.counters().count(PullCount.FOREIGN_REPLY);
          return;
        }
        take(current.answered(content.payload()));
      } catch (EnvelopeException | WireFormatException e) {
        context.refused().refuse(message, e.getMessage());
        connectFailed("answers the handshake with garbage: " + e.getMessage());
      } finally {
        message.release();
      }
    }

    private void take(PeerHandshake.Step step) {
      switch (step) {
        case PeerHandshake.Step.Ask ask -> ask(ask.next());
        case PeerHandshake.Step.Refused refused -> connectFailed(refused.reason());
        case PeerHandshake.Step.Agreed agreed -> {
          ownerEpoch = agreed.epoch();
          lookupAt = agreed.lookupAddress();
          LookupPort next = new LookupPort(context, socket, inFlight, agreed, new Events());
          lookups = next;
          context.traffic().opened(address, agreed.channel().name());
          if (opened(() -> socket.ask(agreed.lookupAddress(), next, agreed.seal()))) {
            state = State.PROBING;
            ask(get(List.of(), null));
          }
        }
      }
    }

    @Override
    public void onConnectionLost(ZmqSocket from) {
      connectFailed("the connection went away during the handshake");
    }
  }

  /** Hears of what comes from the lookup port. */
  private final class Events implements LookupPort.Link {

    @Override
    public boolean awaits(OptionalLong requestId) {
      return state == State.PROBING && requestId.equals(OptionalLong.of(awaitedId));
    }

    @Override
    public void probed(PeerReply reply) {
      if (reply instanceof BatchedLookupAndGetRetMsg found && found.numHitChunks() == 0) {
        ready();
      } else {
        connectFailed("answers the first question with " + reply);
      }
    }

    @Override
    public void heard() {
      lastReplyNanos = context.nanoTime().getAsLong();
      silence.heard(lastReplyNanos);
    }

    @Override
    public void succeeded() {
      passOver.succeeded();
    }

    @Override
    public boolean unreadable(String reason) {
      if (state == State.PROBING) {
        connectFailed("answers with garbage: " + reason);
        return true;
      }
      context.counters().count(PullCount.BAD_FRAME);
      blame();
      return false;
    }

    @Override
    public void greetAgain() {
      disconnect(new GetAnswer.Lost("the peer wants a new handshake"));
    }

    @Override
    public void broken() {
      passOver.lost(context.nanoTime().getAsLong());
      disconnect(new GetAnswer.Lost("its channel is broken"));
    }

    @Override
    public void lost() {
      if (state == State.PROBING) {
        connectFailed("the connection went away during the handshake");
      } else {
        connectionLost();
      }
    }
  }
}
