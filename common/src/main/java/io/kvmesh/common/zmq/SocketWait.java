package io.kvmesh.common.zmq;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;

/**
 * Where the owner of sockets waits until one of them rings or another thread ends the wait. A ring
 * says that the socket should be asked; there may be nothing. The owner thread alone, but for
 * {@link #end}.
 */
final class SocketWait implements AutoCloseable {

  private final Selector selector;

  SocketWait() throws IOException {
    selector = Selector.open();
  }

  void add(ZmqSocket socket) throws IOException {
    socket.bell().register(selector, SelectionKey.OP_READ, socket);
  }

  /** Idempotent. */
  void remove(ZmqSocket socket) {
    SelectionKey key = socket.bell().keyFor(selector);
    if (key != null) {
      key.cancel();
    }
  }

  /** Whether a ring of that socket ends a wait; it does from the beginning. */
  void hear(ZmqSocket socket, boolean heard) {
    SelectionKey key = socket.bell().keyFor(selector);
    if (key != null && key.isValid()) {
      key.interestOps(heard ? SelectionKey.OP_READ : 0);
    }
  }

  /**
   * Waits at most so long; not at all if the wait was ended since the last one.
   *
   * @return whether a socket rang
   */
  boolean forRing(long timeoutMillis) throws IOException {
    int rang = timeoutMillis > 0 ? selector.select(timeoutMillis) : selector.selectNow();
    selector.selectedKeys().clear();
    return rang > 0;
  }

  /**
   * Takes the rings of sockets that ring and have nothing, and what {@link #end} has said. The
   * sockets are to be asked once more before a wait.
   */
  void takeRings() throws IOException {
    selector.selectNow(key -> ((ZmqSocket) key.attachment()).takeRing());
  }

  /** Ends the wait, or the next one. Any thread. */
  void end() {
    selector.wakeup();
  }

  @Override
  public void close() {
    try {
      selector.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
