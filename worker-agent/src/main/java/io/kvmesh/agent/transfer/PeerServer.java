package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.trace.Traced;
import io.kvmesh.common.trace.Traceparent;
import io.kvmesh.common.trace.Traces;
import io.kvmesh.common.wire.Message;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.handshake.HandshakeRequest;
import io.kvmesh.common.wire.peer.BatchedGetDoneMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetRetMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndPutMsg;
import io.kvmesh.common.wire.peer.BatchedPutDoneMsg;
import io.kvmesh.common.wire.peer.P2PErrorMsg;
import io.kvmesh.common.wire.peer.PeerRequest;
import io.kvmesh.common.zmq.Envelope;
import io.kvmesh.common.zmq.EnvelopeException;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.MessageHandler;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.PeerId;
import io.kvmesh.common.zmq.RefusedFrames;
import io.kvmesh.common.zmq.SendOutcome;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketLoop;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves this agent's chunks to its peers: a door for handshakes, another for requests. One thread
 * owns both, and all that is agreed and lent. Every message that can be read gets one reply, but
 * for BatchedGetDoneMsg, which has none; so does every message that can't be read, as an error.
 */
public final class PeerServer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(PeerServer.class);

  private static final Duration OVERDUE_CHECK = Duration.ofMillis(100);

  /** Besides the replies to pushes, which come from other threads. */
  private static final int MAX_QUEUED_TASKS = 128;

  private final LocalPeer self;
  private final PeerServerSettings settings;
  private final ChunkCache cache;
  private final MessageCodec codec;
  private final Counters<ServerCount> counters;
  private final Traces traces;
  private final SocketLoop loop;
  private final KnownPeers peers;
  private final Loans loans;

  /** Null where nothing is sealed. */
  private final @Nullable SealedSessions sessions;

  private final PutDesk puts;
  private final RefusedFrames refusedAtInit;
  private final RefusedFrames refusedAtLookup;
  private volatile @Nullable ZmqSocket lookupSocket;
  private volatile String initAddress = "";
  private volatile String lookupAddress = "";

  /**
   * Assigns only.
   *
   * @param client asks the senders of pushes for their chunks; closes before this server
   */
  public PeerServer(
      LocalPeer self,
      PeerServerSettings settings,
      ChunkCache cache,
      PeerClient client,
      ZmqSockets sockets,
      MessageCodec codec,
      Counters<ServerCount> counters,
      LongSupplier nanoTime) {
    this.self = self;
    this.settings = settings;
    this.cache = cache;
    this.codec = codec;
    this.counters = counters;
    this.traces = client.traces();
    this.loop =
        new SocketLoop("peer-server", sockets, MAX_QUEUED_TASKS + settings.puts().maxWaiting());
    this.peers = new KnownPeers(self, settings.maxPeers());
    this.loans = new Loans(settings.loanLimits(), nanoTime);
    this.sessions =
        settings.sockets().keys().isPresent() ? new SealedSessions(settings.maxPeers()) : null;
    this.puts = new PutDesk(self, cache, peers, client, settings.puts(), counters, nanoTime);
    this.refusedAtInit = new RefusedFrames("peer-init", nanoTime);
    this.refusedAtLookup = new RefusedFrames("peer-lookup", nanoTime);
  }

  /**
   * Opens both doors.
   *
   * @throws IOException if an address is taken; the server is then closed
   */
  public void start() throws IOException {
    loop.every(OVERDUE_CHECK, this::countOverdue);
    loop.every(OVERDUE_CHECK, puts::expire);
    loop.start();
    try {
      ZmqSocket lookup =
          loop.bind(
              SocketKind.ROUTER,
              settings.lookupBind(),
              settings.sockets().withoutKeys(),
              new LookupDoor());
      lookupSocket = lookup;
      lookupAddress = hostPort(lookup);
      ZmqSocket init =
          loop.bind(SocketKind.ROUTER, settings.initBind(), settings.sockets(), new InitDoor());
      initAddress = hostPort(init);
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  private String hostPort(ZmqSocket socket) {
    String host = settings.advertisedHost();
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + socket.port();
  }

  /**
   * Ends all pushes, closes both doors and ends all loans; the memory stays in use until the
   * sockets' context ends.
   */
  @Override
  public void close() {
    puts.close();
    if (loop.close(Duration.ofSeconds(5))) {
      loans.endAll();
    }
  }

  /** Address of the init port as peers and controllers know it, host:port. */
  public String initAddress() {
    return initAddress;
  }

  /** Address of the lookup port as peers know it, host:port. */
  public String lookupAddress() {
    return lookupAddress;
  }

  /** Whether what peers hand over that are going is kept here; at first it is. */
  public void takesDrains(boolean takes) {
    puts.takesDrains(takes);
  }

  /** Whether it is now. */
  public boolean takesDrains() {
    return puts.takesDrains();
  }

  /** Bytes on loan. */
  public long bytesOnLoan() {
    return loans.openBytes();
  }

  /** Loans that peers have. */
  public int openLoans() {
    return loans.openLoans();
  }

  /** Loans that are overdue. */
  public int overdueLoans() {
    return loans.overdueLoans();
  }

  /** Chunks that are held until the moves are over which brought them. */
  public int heldForMoves() {
    return puts.heldChunks();
  }

  /** Frames that were refused, by door. */
  public List<RefusedFrames> refusedFrames() {
    return List.of(refusedAtInit, refusedAtLookup);
  }

  private void countOverdue() {
    int found = loans.markOverdue();
    if (found > 0) {
      counters.add(ServerCount.LOAN_OVERDUE, found);
      LOG.warn("{} loans to peers are overdue; {} in all now", found, loans.overdueLoans());
    }
  }

  private SendOutcome send(ZmqSocket socket, Envelope envelope, Message reply, List<Frame> bodies) {
    SendOutcome outcome = transmit(socket, envelope, codec.encode(reply), bodies);
    if (outcome != SendOutcome.SENT) {
      counters.count(ServerCount.REPLY_LOST);
      LOG.debug("A reply to {} is lost: {}", envelope.peer(), outcome);
    }
    return outcome;
  }

  private SendOutcome transmit(
      ZmqSocket socket, Envelope envelope, byte[] payload, List<Frame> bodies) {
    if (sessions == null || socket != lookupSocket) {
      return socket.send(envelope.with(payload, bodies));
    }
    SealedSessions.Sealed sealed =
        sessions.seal(envelope.peer(), envelope.requestId(), payload, bodies);
    return sealed == null
        ? SendOutcome.UNREACHABLE
        : socket.send(envelope.with(sealed.payload(), sealed.bodies()));
  }

  private void refuse(
      ZmqSocket socket, RefusedFrames refused, Envelope envelope, Multipart message, String rule) {
    counters.count(ServerCount.BAD_FRAME);
    refused.refuse(message, rule);
    send(socket, envelope, new P2PErrorMsg(P2PErrorMsg.UNKNOWN_MESSAGE, rule), List.of());
  }

  /** Takes handshakes. */
  private final class InitDoor implements MessageHandler {

    private final HandshakeDesk desk =
        new HandshakeDesk(self, peers, counters, lookupAddress, sessions);

    @Override
    public void onMessage(ZmqSocket socket, Multipart message) {
      try {
        Envelope.Content content = Envelope.splitRouted(message);
        answer(socket, message, content);
      } catch (EnvelopeException e) {
        counters.count(ServerCount.BAD_FRAME);
        refusedAtInit.refuse(message, e.getMessage());
      } finally {
        message.release();
      }
    }

    private void answer(ZmqSocket socket, Multipart message, Envelope.Content content) {
      try {
        HandshakeRequest request = codec.decode(HandshakeRequest.class, content.payload());
        send(socket, content.envelope(), desk.answer(request), List.of());
      } catch (WireFormatException e) {
        if (e.code() == WireFormatException.Code.UNSUPPORTED_FORMAT) {
          // Not garbage: a peer of a later version understands this refusal.
          send(socket, content.envelope(), desk.refuse(e.rule()), List.of());
        } else {
          String rule = String.valueOf(e.getMessage());
          refuse(socket, refusedAtInit, content.envelope(), message, rule);
        }
      }
    }
  }

  /** Takes requests. */
  private final class LookupDoor implements MessageHandler {

    private final GetDesk desk =
        new GetDesk(
            self,
            cache,
            peers,
            loans,
            counters,
            settings.maxReply(),
            sessions == null ? 0 : FrameSeal.OVERHEAD_BYTES);

    @Override
    public void onMessage(ZmqSocket socket, Multipart message) {
      try {
        unseal(socket, message, Envelope.splitRouted(message));
      } catch (EnvelopeException e) {
        counters.count(ServerCount.BAD_FRAME);
        refusedAtLookup.refuse(message, e.getMessage());
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
        refusedAtLookup.refuse(message, e.getMessage());
        if (sessions.isOfUnknownSession(payload)) {
          socket.send(envelope.with(codec.encode(SealedSessions.UNKNOWN)));
        }
      }
    }

    private void decode(ZmqSocket socket, Multipart message, Envelope envelope, byte[] payload) {
      try {
        answer(socket, envelope, codec.decode(PeerRequest.class, payload));
      } catch (WireFormatException e) {
        String rule = String.valueOf(e.getMessage());
        refuse(socket, refusedAtLookup, envelope, message, rule);
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
            puts.take(put, reply -> sendLater(socket, envelope, reply));
      }
    }

    /** From any thread. */
    private void sendLater(ZmqSocket socket, Envelope envelope, Message reply) {
      if (!loop.run(() -> send(socket, envelope, reply, List.of()))) {
        counters.count(ServerCount.REPLY_LOST);
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
      PeerId peer = envelope.peer();
      GetDesk.Answer answer;
      try {
        answer = desk.answer(peer, get);
      } catch (RuntimeException e) {
        counters.count(ServerCount.SERVER_ERROR);
        LOG.error("A request of {} failed", get.receiverId(), e);
        String detail = e.getClass().getSimpleName();
        send(socket, envelope, new P2PErrorMsg(P2PErrorMsg.SERVER_ERROR, detail), List.of());
        span.tag(Traces.OUTCOME, "failed");
        return false;
      }
      if (answer.reply() instanceof BatchedLookupAndGetRetMsg found) {
        span.tag(Traces.CHUNKS_FOUND, found.numHitChunks());
      }
      boolean sent = false;
      try {
        sent = send(socket, envelope, answer.reply(), answer.bodies()) == SendOutcome.SENT;
      } finally {
        // Who doesn't get the reply can't say done. Also where sealing it failed for want of
        // memory.
        if (!sent && answer.loan() != 0) {
          loans.end(peer, answer.loan());
        }
      }
      span.tag(Traces.OUTCOME, outcome(answer.reply(), sent));
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
}
