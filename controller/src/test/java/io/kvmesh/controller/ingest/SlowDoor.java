package io.kvmesh.controller.ingest;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/** A way to a server on which every request takes as long as given. */
final class SlowDoor implements AutoCloseable {

  private final ServerSocket door;
  private final int target;
  private final Duration delay;
  private final List<Socket> open = new CopyOnWriteArrayList<>();

  private SlowDoor(ServerSocket door, int target, Duration delay) {
    this.door = door;
    this.target = target;
    this.delay = delay;
  }

  static SlowDoor to(int target, Duration delay) throws IOException {
    SlowDoor slow =
        new SlowDoor(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), target, delay);
    Thread.ofVirtual().start(slow::accept);
    return slow;
  }

  int port() {
    return door.getLocalPort();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = door.accept();
        Socket server = new Socket(door.getInetAddress(), target);
        open.addAll(List.of(client, server));
        Thread.ofVirtual().start(() -> pass(client, server, delay));
        Thread.ofVirtual().start(() -> pass(server, client, Duration.ZERO));
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private static void pass(Socket from, Socket to, Duration delay) {
    byte[] bytes = new byte[1 << 16];
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
        LockSupport.parkNanos(delay.toNanos());
        out.write(bytes, 0, read);
      }
    } catch (IOException closed) {
      // So is the other direction.
    }
  }

  @Override
  public void close() throws IOException {
    door.close();
    for (Socket socket : open) {
      socket.close();
    }
  }
}
