package io.kvmesh.common.process;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * TCP ports of the loopback address for programs that must know their port before they listen.
 * Prefer binding port 0 where the program can.
 */
public final class LoopbackPorts {

  /** Below the range from which Linux takes the ports of outgoing connections. */
  private static final int LOWEST = 18_000;

  private static final int HIGHEST = 32_000;
  private static final int ATTEMPTS = 1_000;

  private static final Set<Integer> GIVEN_OUT = ConcurrentHashMap.newKeySet();

  private LoopbackPorts() {}

  /** A port on which nothing listens now and which this process has not given out before. */
  public static int free() throws IOException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
      if (GIVEN_OUT.add(port) && isFree(port)) {
        return port;
      }
    }
    throw new IOException("no free port between " + LOWEST + " and " + HIGHEST);
  }

  /**
   * Fails with one clear line when {@code port} can't be listened on.
   *
   * @param program who wants it, for the message
   */
  public static void requireFree(int port, String program) throws IOException {
    if (!isFree(port)) {
      throw new BindException(
          "%s cannot listen on 127.0.0.1:%d: the port is in use".formatted(program, port));
    }
  }

  /**
   * Whether {@code port} can be listened on. It doesn't listen itself: a process that is being
   * started at that moment inherits the socket for a while, and one that listens keeps the port.
   */
  public static boolean isFree(int port) throws IOException {
    try (Socket socket = new Socket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port));
      return true;
    } catch (BindException _) {
      return false;
    }
  }
}
