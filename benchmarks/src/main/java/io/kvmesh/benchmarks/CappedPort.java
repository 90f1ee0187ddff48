package io.kvmesh.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/**
 * A network that is no faster than so many bytes a second: forwards connections to a port of the
 * loopback, and what comes back at that rate.
 */
final class CappedPort implements AutoCloseable {

  private static final int BUFFER_BYTES = 64 << 10;
  private static final double NANOS_PER_SECOND = 1e9;

  /** What a late wake-up costs may be made up for so long. */
  private static final long SLACK_NANOS = 1_000_000;

  private final ServerSocket door = new ServerSocket();
  private final int port;
  private final double nanosPerByte;
  private final List<Socket> connections = new CopyOnWriteArrayList<>();

  /**
   * @param host of the loopback, another than that of the port
   */
  CappedPort(String host, int port, long bytesPerSecond) throws IOException {
    this.port = port;
    this.nanosPerByte = NANOS_PER_SECOND / bytesPerSecond;
    door.bind(new InetSocketAddress(InetAddress.ofLiteral(host), port));
    Thread.ofPlatform().daemon().name("capped-port").start(this::accept);
  }

  private void accept() {
    try {
      while (true) {
        Socket client = door.accept();
        Socket server = new Socket(InetAddress.ofLiteral("127.0.0.1"), port);
        connections.add(client);
        connections.add(server);
        Thread.ofPlatform().daemon().start(() -> forward(client, server, 0));
        Thread.ofPlatform().daemon().start(() -> forward(server, client, nanosPerByte));
      }
    } catch (IOException closed) {
      // By close().
    }
  }

  private static void forward(Socket from, Socket to, double nanosPerByte) {
    byte[] buffer = new byte[BUFFER_BYTES];
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      to.setTcpNoDelay(true);
      long next = System.nanoTime();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        out.write(buffer, 0, read);
        next = Math.max(next, System.nanoTime() - SLACK_NANOS) + (long) (read * nanosPerByte);
        LockSupport.parkNanos(next - System.nanoTime());
      }
    } catch (IOException closed) {
      // By either end.
    }
  }

  @Override
  public void close() throws IOException {
    door.close();
    for (Socket connection : connections) {
      connection.close();
    }
  }
}
