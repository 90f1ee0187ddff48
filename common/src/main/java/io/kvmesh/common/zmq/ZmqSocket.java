package io.kvmesh.common.zmq;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.zeromq.ZMQ;
import zmq.Msg;
import zmq.SocketBase;
import zmq.ZError;
import zmq.io.Metadata;

/**
 * A socket of one thread: the one that made it. Sending never waits. Use from another thread is a
 * fault of the program and is refused.
 */
public final class ZmqSocket implements AutoCloseable {

  private static final int DONT_WAIT = ZMQ.DONTWAIT;

  /** A ping comes so much later than the timeout of the one before it. */
  private static final int HEARTBEAT_MARGIN_MILLIS = 50;

  private final ZmqSockets sockets;
  private final SocketKind kind;
  private final ZMQ.Socket raw;
  private final SocketBase base;
  private final SocketSettings settings;
  private final RingTaker ring;
  private final Thread owner = Thread.currentThread();
  private volatile @Nullable HandshakeGuard handshakes;
  private @Nullable ConnectionGuard connections;
  private String endpoint = "";
  private boolean closed;

  /** There was no memory for a frame of the message that was received last. */
  private boolean bytesLost;

  ZmqSocket(ZmqSockets sockets, SocketKind kind, ZMQ.Socket raw, SocketSettings settings) {
    this.sockets = sockets;
    this.kind = kind;
    this.raw = raw;
    this.base = raw.base();
    this.settings = settings;
    this.ring = new RingTaker(base);
    configure();
  }

  private void configure() {
    raw.setIPv6(true);
    raw.setLinger(0);
    raw.setHWM(settings.highWaterMark());
    raw.setMaxMsgSize(settings.maxFrameBytes());
    configureHeartbeats();
    raw.setReconnectIVL(millis(settings.reconnectInterval()));
    raw.setReconnectIVLMax(millis(settings.maxReconnectInterval()));
    switch (kind) {
      case ROUTER -> {
        raw.setRouterMandatory(true);
        base.setSocketOpt(zmq.ZMQ.ZMQ_DISCONNECT_MSG, sockets.goneNotice());
      }
      case DEALER -> base.setSocketOpt(zmq.ZMQ.ZMQ_HICCUP_MSG, sockets.goneNotice());
      case PULL, PUSH, REQ, REP, SUB, XPUB -> {}
    }
  }

  private void configureHeartbeats() {
    raw.setHeartbeatIvl(heartbeatIntervalMillis());
    raw.setHeartbeatTimeout(millis(settings.heartbeatTimeout()));
  }

  private int heartbeatIntervalMillis() {
    return Math.max(
        millis(settings.heartbeatInterval()),
        millis(settings.heartbeatTimeout()) + HEARTBEAT_MARGIN_MILLIS);
  }

  private static int millis(Duration duration) {
    return Math.toIntExact(duration.toMillis());
  }

  void bind(String address) throws IOException {
    raw.setHandshakeIvl(HandshakeGuard.MAX_MILLIS);
    settings.keys().ifPresent(this::beServer);
    if (address.startsWith("tcp:")) {
      guardConnections();
    }
    attach("bind", address, base::bind);
    endpoint = raw.getLastEndpoint();
    if (connections != null) {
      connections.listensAt(endpoint);
    }
  }

  /** What is encrypted is opened by the library: whose frame it was isn't told. */
  private void guardConnections() {
    long proofMillis =
        HandshakeGuard.MAX_MILLIS
            + heartbeatIntervalMillis()
            + (long) millis(settings.heartbeatTimeout());
    ConnectionGuard guard =
        new ConnectionGuard(
            new ConnectionGuard.Limits(
                settings.maxConnections(),
                settings.maxFrames(),
                settings.keys().isPresent() ? 0 : TimeUnit.MILLISECONDS.toNanos(proofMillis)),
            sockets.connectionCounts(),
            System::nanoTime);
    base.setEventHook(guard, ConnectionGuard.EVENTS);
    raw.setMsgAllocator(sockets.buffers().guardedBy(guard));
    connections = guard;
  }

  /** Cuts off connections to a listening socket that have shown nothing for too long. Owner. */
  void watchConnections() {
    if (connections != null && !closed) {
      connections.tick();
    }
  }

  void connect(String address) throws IOException {
    int handshakeMillis = millis(settings.effectiveHandshakeInterval());
    settings.keys().ifPresent(this::beClient);
    raw.setHandshakeIvl(handshakeMillis);
    HandshakeGuard guard = new HandshakeGuard(base, handshakeMillis, sockets.cutOffs());
    handshakes = guard;
    base.setEventHook(guard, HandshakeGuard.EVENTS);
    attach("connect to", address, base::connect);
    endpoint = address;
  }

  /** Whether a connecting socket has ever had a connection. Any thread. */
  public boolean wasConnected() {
    HandshakeGuard guard = handshakes;
    return guard != null && guard.connections() > 0;
  }

  /**
   * Number of connections that a connecting socket has had, whose handshake was right. Any thread.
   */
  public int connections() {
    HandshakeGuard guard = handshakes;
    return guard == null ? 0 : guard.connections();
  }

  /** Whether a connecting socket has a connection now. Any thread. */
  public boolean isConnected() {
    HandshakeGuard guard = handshakes;
    return guard != null && guard.isEstablished();
  }

  /** A SUB wants messages whose first frame begins so. Owner thread. */
  public void subscribe(byte[] topic) {
    requireUsable();
    raw.subscribe(topic);
  }

  private void beServer(CurveKeys keys) {
    raw.setCurveServer(true);
    raw.setCurveSecretKey(keys.secretKey());
  }

  private void beClient(CurveKeys keys) {
    raw.setCurvePublicKey(keys.publicKey());
    raw.setCurveSecretKey(keys.secretKey());
    raw.setCurveServerKey(keys.publicKey());
  }

  private interface Attachment {
    boolean to(String address);
  }

  private void attach(String verb, String address, Attachment attachment) throws IOException {
    String reason;
    try {
      if (attachment.to(address)) {
        return;
      }
      reason = ZError.toString(base.errno());
    } catch (RuntimeException e) {
      reason = String.valueOf(e.getMessage());
    }
    throw new IOException("Cannot %s %s: %s".formatted(verb, address, reason));
  }

  /** Kind of the socket. */
  public SocketKind kind() {
    return kind;
  }

  /** The endpoint it is bound to, with its real port, or connects to. */
  public String endpoint() {
    return endpoint;
  }

  /** The port of its endpoint. */
  public int port() {
    return Integer.parseInt(endpoint.substring(endpoint.lastIndexOf(':') + 1));
  }

  /** Queues a message: on a ROUTER the first frame names the peer. */
  public SendOutcome send(List<Frame> frames) {
    requireUsable();
    int last = frames.size() - 1;
    for (int i = 0; i <= last; i++) {
      Msg message = frames.get(i).toMessage();
      int flags = i < last ? DONT_WAIT | ZMQ.SNDMORE : DONT_WAIT;
      if (!base.send(message, flags)) {
        return refusal(base.errno());
      }
    }
    return SendOutcome.SENT;
  }

  /** Queues a message of one frame. */
  public SendOutcome send(byte[] payload) {
    return send(List.of(Frame.of(payload)));
  }

  private SendOutcome refusal(int error) {
    return switch (error) {
      case ZError.EAGAIN -> SendOutcome.FULL;
      case ZError.EHOSTUNREACH -> SendOutcome.UNREACHABLE;
      default ->
          throw new IllegalStateException(this + " can't send now: " + ZError.toString(error));
    };
  }

  /**
   * Receives one message and hands it, or a notice, to the handler.
   *
   * @return false if there was none
   */
  public boolean receive(MessageHandler handler) {
    return receive(DONT_WAIT, handler);
  }

  /**
   * Receives one message, waiting for it. Notices are skipped.
   *
   * @return null if none came in time
   */
  public @Nullable Multipart receive(Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    Receiver receiver = new Receiver();
    boolean inTime = true;
    while (receiver.received == null && inTime) {
      long left = Math.max(0, deadline - System.nanoTime());
      raw.setReceiveTimeOut(millis(Duration.ofNanos(left)));
      receive(0, receiver);
      inTime = deadline - System.nanoTime() > 0;
    }
    return receiver.received;
  }

  private static final class Receiver implements MessageHandler {

    private @Nullable Multipart received;

    @Override
    public void onMessage(ZmqSocket socket, Multipart message) {
      received = message;
    }
  }

  private boolean receive(int flags, MessageHandler handler) {
    requireUsable();
    while (true) {
      List<Frame> frames = new ArrayList<>(4);
      Msg last = receiveFrames(frames, flags);
      if (last == null) {
        return false;
      }
      if (frames.size() <= settings.maxFrames() && !bytesLost) {
        dispatch(frames, last, handler);
        return true;
      }
      frames.forEach(Frame::release);
      if (!bytesLost) {
        sockets.onRefused();
      }
    }
  }

  private @Nullable Msg receiveFrames(List<Frame> frames, int flags) {
    bytesLost = false;
    Msg message = base.recv(flags);
    while (message != null) {
      bytesLost |= message instanceof ReceivedMsg received && received.isLost();
      // One more than allowed is enough to refuse the message.
      if (frames.size() <= settings.maxFrames()) {
        frames.add(Frame.received(message));
      }
      if (!message.hasMore()) {
        return message;
      }
      message = base.recv(DONT_WAIT);
    }
    return null;
  }

  private void dispatch(List<Frame> frames, Msg last, MessageHandler handler) {
    if (last.size() == sockets.goneNotice().length
        && Arrays.equals(last.data(), sockets.goneNotice())) {
      if (kind == SocketKind.ROUTER) {
        handler.onPeerGone(this, PeerId.of(frames.getFirst().toArray()));
      } else {
        handler.onConnectionLost(this);
      }
      return;
    }
    String address = peerAddress(last);
    if (connections != null && settings.keys().isPresent()) {
      connections.heardFrom(address);
    }
    handler.onMessage(this, new Multipart(frames, address));
  }

  private static String peerAddress(Msg message) {
    Metadata metadata = message.getMetadata();
    String address = metadata == null ? null : metadata.get(Metadata.PEER_ADDRESS);
    return address == null ? "" : address;
  }

  /** Readable while the library may have something to tell the socket. */
  SelectableChannel bell() {
    return base.getFD();
  }

  /** Takes a ring for which there was nothing; only while the bell is readable. */
  void takeRing() {
    requireUsable();
    ring.take();
  }

  private void requireUsable() {
    if (Thread.currentThread() != owner) {
      throw new IllegalStateException(this + " belongs to thread " + owner.getName());
    }
    if (closed) {
      throw new IllegalStateException(this + " is closed");
    }
  }

  /** Closes the socket; what isn't sent yet is dropped. Owner thread; idempotent. */
  @Override
  public void close() {
    if (!closed) {
      requireUsable();
      closed = true;
      raw.close();
      if (connections != null) {
        connections.close();
      }
      sockets.onClosed(this);
    }
  }

  boolean isClosed() {
    return closed;
  }

  @Override
  public String toString() {
    return kind + " socket at " + endpoint;
  }
}
