package io.kvmesh.agent.transfer;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The way to an agent: another address of the loopback, whose ports lead to the agent's. Cut, it
 * takes connections and bytes and passes nothing on, as a network does that drops packets; mended,
 * it passes on what it was given meanwhile.
 */
final class CutNetwork implements Closeable {

  /** The address that the agent must advertise. */
  static final String HOST = "127.0.0.2";

  private static final int BUFFER_BYTES = 4 << 10;

  private final List<Closeable> open = new CopyOnWriteArrayList<>();

  /** Bytes from the agent that still pass. Guarded by this. */
  private long left = Long.MAX_VALUE;

  /**
   * @param addresses host:port of the agent's doors
   */
  CutNetwork(String... addresses) throws IOException {
    for (String address : addresses) {
      int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
      ServerSocket door = new ServerSocket();
      open.add(door);
      door.bind(new InetSocketAddress(InetAddress.ofLiteral(HOST), port));
      Thread.ofPlatform().daemon().name("cut-network").start(() -> accept(door, port));
    }
  }

  /** Cuts it once so many more bytes have come from the agent. */
  synchronized void cutAfter(long bytes) {
    left = bytes;
  }

  synchronized void mend() {
    left = Long.MAX_VALUE;
    notifyAll();
  }

  private void accept(ServerSocket door, int port) {
    try {
      while (true) {
        Socket client = door.accept();
        open.add(client);
        Socket agent = new Socket(InetAddress.ofLiteral("127.0.0.1"), port);
        open.add(agent);
        Thread.ofPlatform().daemon().start(() -> pass(client, agent, false));
        Thread.ofPlatform().daemon().start(() -> pass(agent, client, true));
      }
    } catch (IOException closed) {
      // By close().
    }
  }

  private void pass(Socket from, Socket to, boolean counted) {
    byte[] buffer = new byte[BUFFER_BYTES];
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        awaitPassage(counted ? read : 0);
        out.write(buffer, 0, read);
      }
    } catch (IOException closed) {
      // By either end.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void awaitPassage(int bytes) throws InterruptedException {
    while (left <= bytes) {
      left = 0;
      wait();
    }
    left -= bytes;
  }

  @Override
  public void close() throws IOException {
    mend();
    for (Closeable each : open) {
      each.close();
    }
  }
}
