package io.kvmesh.controller.lmcache;

import io.kvmesh.common.zmq.UrlHost;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Where a worker that registers is told to send its heartbeats, as LMCache tells it: the advertised
 * host, else the one that the heartbeat socket is bound to; where that is any of this machine's,
 * the address of its way to the internet, or the loopback for a worker of that very address. Any
 * thread.
 */
final class HeartbeatUrl {

  private static final String LOOPBACK = "127.0.0.1";

  private final FrontSettings settings;
  private final IntSupplier heartbeatPort;
  private final IntSupplier replyPort;
  private final Supplier<String> ownAddress;

  /**
   * @param heartbeatPort 0 = there is no such socket
   * @param replyPort 0 = there is no such socket; it takes heartbeats too
   */
  HeartbeatUrl(
      FrontSettings settings,
      IntSupplier heartbeatPort,
      IntSupplier replyPort,
      Supplier<String> ownAddress) {
    this.settings = settings;
    this.heartbeatPort = heartbeatPort;
    this.replyPort = replyPort;
    this.ownAddress = ownAddress;
  }

  /** What is told to a worker of that address; nothing if there is no address to tell. */
  Map<String, String> extraConfig(String workerIp) {
    int port = heartbeatPort.getAsInt();
    String host = settings.advertisedHost();
    if (host.isEmpty() && port > 0) {
      host = boundHost(workerIp);
    } else if (port == 0) {
      port = replyPort.getAsInt();
    }
    return host.isEmpty() || port == 0 ? Map.of() : Map.of("heartbeat_url", host + ":" + port);
  }

  private String boundHost(String workerIp) {
    String bind = settings.heartbeatBind();
    String host = bind.substring("tcp://".length(), bind.lastIndexOf(':'));
    if (!host.equals("0.0.0.0") && !host.equals("*") && !host.equals("[::]")) {
      return host;
    }
    String own = ownAddress.get();
    if (own.equals(workerIp)) {
      return LOOPBACK;
    }
    return UrlHost.of(own);
  }

  /** This machine's address on its way to the internet; nothing is sent to find it. */
  static String ownAddress() {
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.connect(new InetSocketAddress(InetAddress.getByAddress(new byte[] {8, 8, 8, 8}), 80));
      InetAddress own = socket.getLocalAddress();
      return own.isAnyLocalAddress() ? LOOPBACK : own.getHostAddress();
    } catch (IOException e) {
      return LOOPBACK;
    }
  }
}
