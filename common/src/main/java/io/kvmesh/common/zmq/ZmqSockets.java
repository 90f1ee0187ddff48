package io.kvmesh.common.zmq;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.common.count.LogLimit;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.ZMQ;
import zmq.ZError;

/**
 * Makes the sockets of a process and owns what they share: I/O threads and receive buffers. Any
 * thread may ask for a socket, which then belongs to that thread. Close it after all of its
 * sockets; memory that was sent from may be unmapped only then.
 */
public final class ZmqSockets implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ZmqSockets.class);

  private static final int MAX_SOCKETS = 4096;
  private static final int NOTICE_BYTES = 16;

  /** So much of the heap, or at least so many bytes, may large frames take. */
  private static final int SHARE_OF_HEAP = 4;

  private static final long LEAST_HEAP_BYTES = 64L << 20;
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private final ZmqSettings settings;
  private final ZMQ.Context context;
  private final ReceiveBuffers buffers;
  private final byte[] goneNotice = new byte[NOTICE_BYTES];
  private final Set<ZmqSocket> open = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final LongAdder cutOffs = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder ioFaults = new LongAdder();
  private final ConnectionCounts connections = new ConnectionCounts();
  private final LogLimit ioFaultLog = new LogLimit(System::nanoTime);

  /** There is one as soon as a socket listens with keys. */
  @GuardedBy("this")
  private @Nullable CurveGate gate;

  /** With the default settings. */
  public ZmqSockets() {
    this(ZmqSettings.DEFAULT);
  }

  /** With these settings. I/O threads start with the first socket. */
  public ZmqSockets(ZmqSettings settings) {
    this.settings = settings;
    this.buffers = new ReceiveBuffers(settings.receiveBufferBytes(), mostHeapBytes());
    this.context = ZMQ.context(settings.ioThreads());
    context.setMaxSockets(MAX_SOCKETS);
    context.setNotificationExceptionHandler(this::onIoFault);
    context.setUncaughtExceptionHandler(this::onIoFault);
    // Nobody can send it but the library itself.
    new SecureRandom().nextBytes(goneNotice);
  }

  private static long mostHeapBytes() {
    return Math.max(LEAST_HEAP_BYTES, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);
  }

  private void onIoFault(Thread thread, Throwable fault) {
    if (isRingAtAGoneSocket(fault)) {
      LOG.debug("A socket was gone before it was rung", fault);
      return;
    }
    ioFaults.increment();
    if (ioFaultLog.permits()) {
      LOG.error("Fault on {}; {} so far", thread.getName(), ioFaults.sum(), fault);
    }
  }

  /**
   * A socket that closes may read what an I/O thread has for it, and be gone, before that thread
   * rings: the library takes this for a fault. Nothing is lost by it.
   */
  private static boolean isRingAtAGoneSocket(Throwable fault) {
    StackTraceElement[] stack = fault.getStackTrace();
    return fault instanceof ZError.IOException
        && fault.getCause() instanceof ClosedChannelException
        && stack.length > 0
        && stack[0].getClassName().equals("zmq.Signaler");
  }

  /**
   * A socket that listens at the endpoint, such as {@code tcp://0.0.0.0:8300}; port 0 is any free
   * one.
   *
   * @throws IOException if the endpoint is malformed or taken
   */
  public ZmqSocket bind(SocketKind kind, String endpoint) throws IOException {
    return bind(kind, endpoint, settings.sockets());
  }

  /** The same with other settings. */
  public ZmqSocket bind(SocketKind kind, String endpoint, SocketSettings socketSettings)
      throws IOException {
    if (socketSettings.keys().isPresent()) {
      openGate(socketSettings, socketSettings.keys().get());
    }
    ZmqSocket socket = create(kind, socketSettings);
    try {
      socket.bind(endpoint);
      return socket;
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  private synchronized void openGate(SocketSettings like, CurveKeys keys) throws IOException {
    CurveGate present = gate;
    if (present != null) {
      present.requireFor(keys);
      return;
    }
    CurveGate opened = new CurveGate(this, keys);
    try {
      opened.open(like);
    } catch (IOException | RuntimeException e) {
      opened.close();
      throw e;
    }
    gate = opened;
  }

  /**
   * A socket that connects to the endpoint, such as {@code tcp://10.0.0.1:8300}, now and whenever
   * the connection is lost. Until the first connection is made, messages are queued.
   *
   * @throws IOException if the endpoint is malformed or can't be resolved
   */
  public ZmqSocket connect(SocketKind kind, String endpoint) throws IOException {
    return connect(kind, endpoint, settings.sockets());
  }

  /** The same with other settings. */
  public ZmqSocket connect(SocketKind kind, String endpoint, SocketSettings socketSettings)
      throws IOException {
    ZmqSocket socket = create(kind, socketSettings);
    try {
      socket.connect(endpoint);
      return socket;
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  private ZmqSocket create(SocketKind kind, SocketSettings socketSettings) {
    requireOpen();
    ZMQ.Socket raw = context.socket(kind.type());
    raw.setMsgAllocator(buffers);
    ZmqSocket socket = new ZmqSocket(this, kind, raw, socketSettings);
    open.add(socket);
    try {
      // Who closes looks at the open ones only after it has said so: one of both sees the other.
      requireOpen();
    } catch (IllegalStateException e) {
      socket.close();
      throw e;
    }
    return socket;
  }

  private void requireOpen() {
    if (closed.get()) {
      throw new IllegalStateException("The sockets are closed");
    }
  }

  boolean isClosed() {
    return closed.get();
  }

  byte[] goneNotice() {
    return goneNotice;
  }

  ReceiveBuffers buffers() {
    return buffers;
  }

  ConnectionCounts connectionCounts() {
    return connections;
  }

  LongAdder cutOffs() {
    return cutOffs;
  }

  void onRefused() {
    refused.increment();
  }

  void onClosed(ZmqSocket socket) {
    open.remove(socket);
    if (closed.get()) {
      closeGateIfLast();
    }
  }

  /** The counters. */
  public ZmqStats stats() {
    return new ZmqStats(
        open.size(),
        cutOffs.sum(),
        refused.sum(),
        buffers.nativeBytes(),
        buffers.overflows(),
        ioFaults.sum(),
        refusedClients(),
        buffers.lost(),
        connections.open(),
        connections.cuts());
  }

  private long refusedClients() {
    CurveGate present = gate();
    return present == null ? 0 : present.refused();
  }

  private synchronized @Nullable CurveGate gate() {
    return gate;
  }

  /** Closes with a bound of 5 s. */
  @Override
  public void close() {
    close(CLOSE_TIMEOUT);
  }

  /** Without its gate a socket with keys lets everybody in who has any key. */
  private void closeGateIfLast() {
    CurveGate present = gate();
    if (present != null && open.size() <= 1) {
      present.close();
    }
  }

  /**
   * Ends the I/O threads; idempotent.
   *
   * @return false if they still run after this time, because a socket is still open: its memory
   *     must stay mapped
   */
  public boolean close(Duration timeout) {
    if (!closed.compareAndSet(false, true)) {
      return true;
    }
    closeGateIfLast();
    Thread closer = Thread.ofPlatform().daemon().name("zmq-close").start(context::term);
    try {
      if (closer.join(timeout)) {
        return true;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    LOG.warn("Sockets not closed within {}: {}", timeout, open);
    return false;
  }
}
