package io.kvmesh.common.zmq;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Forwards connections to a port, late or not at all: a slow network, or a cable that is pulled.
 */
final class TcpProxy implements AutoCloseable {

  private static final int CHUNK_BYTES = 65_536;

  private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final int targetPort;
  private final Duration delay;
  private final List<Socket> connections = new CopyOnWriteArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile boolean frozen;

  TcpProxy(int targetPort, Duration delayOfConnections) throws IOException {
    this.targetPort = targetPort;
    this.delay = delayOfConnections;
    Thread.ofVirtual().start(this::accept);
  }

  String endpoint() {
    return "tcp://127.0.0.1:" + listener.getLocalPort();
  }

  /** From now on nothing is forwarded; connections stay open. */
  void freeze() {
    frozen = true;
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        connections.add(client);
        Thread.ofVirtual().start(() -> connect(client));
      }
    } catch (IOException end) {
      // Closed.
    }
  }

  private void connect(Socket client) {
    try {
      if (closed.await(delay.toMillis(), TimeUnit.MILLISECONDS)) {
        return;
      }
      Socket target = new Socket(InetAddress.getLoopbackAddress(), targetPort);
      connections.add(target);
      Thread.ofVirtual().start(() -> forward(client, target));
      forward(target, client);
    } catch (IOException | InterruptedException end) {
      // Closed.
    }
  }

  private void forward(Socket from, Socket to) {
    byte[] chunk = new byte[CHUNK_BYTES];
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
        if (!frozen) {
          out.write(chunk, 0, read);
        }
      }
    } catch (IOException end) {
      // Closed.
    }
  }

  @Override
  public void close() throws IOException {
    closed.countDown();
    listener.close();
    for (Socket connection : connections) {
      connection.close();
    }
  }
}
