package io.kvmesh.common.zmq;

import java.util.concurrent.atomic.LongAdder;
import zmq.SocketBase;
import zmq.ZMQ;

/**
 * Watches the handshakes of a connecting socket. One that was cut off is counted, and the next gets
 * twice the time: either the library forgot to start it, which the next connection won't, or the
 * peer is slow. Runs on an I/O thread.
 */
final class HandshakeGuard implements ZMQ.EventConsummer {

  static final int EVENTS = ZMQ.ZMQ_EVENT_HANDSHAKE_PROTOCOL | ZMQ.ZMQ_EVENT_DISCONNECTED;

  /** The longest time for a handshake, and what a listening socket gives its peers. */
  static final int MAX_MILLIS = 5000;

  private final SocketBase socket;
  private final LongAdder cutOffs;
  private int intervalMillis;
  private volatile boolean established;
  private volatile int connections;

  HandshakeGuard(SocketBase socket, int intervalMillis, LongAdder cutOffs) {
    this.socket = socket;
    this.intervalMillis = intervalMillis;
    this.cutOffs = cutOffs;
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // Written by one thread.
  public void consume(ZMQ.Event event) {
    if (event.event == ZMQ.ZMQ_EVENT_HANDSHAKE_PROTOCOL) {
      established = true;
      connections++;
    } else if (established) {
      established = false;
    } else {
      cutOffs.increment();
      intervalMillis = Math.max(intervalMillis, Math.min(2 * intervalMillis, MAX_MILLIS));
      socket.setSocketOpt(ZMQ.ZMQ_HANDSHAKE_IVL, intervalMillis);
    }
  }

  /** Number of handshakes that were right. Any thread. */
  int connections() {
    return connections;
  }

  /** Whether the last one's connection is still there. Any thread. */
  boolean isEstablished() {
    return established;
  }
}
