package io.kvmesh.common.key;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/** Checks what a worker tells of where others can reach it. No name is looked up. */
public final class WorkerAddress {

  private static final int MAX_HOST_CHARS = 255;
  private static final int MAX_URL_CHARS = 512;
  private static final int MAX_PORT = 65_535;

  private WorkerAddress() {}

  /**
   * Checks an address.
   *
   * @param peerInitUrl [scheme://]host:port or another text; null if peers can't reach the worker
   * @throws KeyFormatException if nobody can connect to it from another machine's point of view
   */
  public static void require(String ip, int port, @Nullable String peerInitUrl) {
    requireHost(ip);
    if (port < 1 || port > MAX_PORT) {
      throw new KeyFormatException(
          "Invalid port " + port + ": a worker's port is 1 to " + MAX_PORT);
    }
    if (peerInitUrl != null) {
      requireUrl(peerInitUrl);
    }
  }

  private static void requireHost(String host) {
    if (host.isEmpty() || host.length() > MAX_HOST_CHARS) {
      throw KeyFormatException.of(
          "address", host, "a worker's host has 1 to " + MAX_HOST_CHARS + " characters");
    }
    if (host.chars().anyMatch(c -> c == '/' || c <= ' ' || Character.isISOControl(c))) {
      throw KeyFormatException.of(
          "address", host, "a worker's host has no '/', space or control character");
    }
    requireOneMachine(host, host);
  }

  private static void requireUrl(String url) {
    if (url.length() > MAX_URL_CHARS || url.chars().anyMatch(Character::isISOControl)) {
      throw KeyFormatException.of(
          "peer_init_url",
          url,
          "it has at most " + MAX_URL_CHARS + " characters, none of them a control character");
    }
    int scheme = url.indexOf("://");
    String place = scheme < 0 ? url : url.substring(scheme + 3);
    int port = place.lastIndexOf(':');
    requireOneMachine(url, port < 0 ? place : place.substring(0, port));
  }

  /** The addresses that a socket is bound to for all of its machine's are those of no machine. */
  private static void requireOneMachine(String told, String host) {
    if (host.equals("*") || isAnyLocal(host)) {
      throw KeyFormatException.of(
          "address", told, "a worker tells the address of its machine, not one to listen at");
    }
  }

  private static boolean isAnyLocal(String host) {
    boolean bracketed = host.startsWith("[") && host.endsWith("]");
    try {
      return InetAddress.ofLiteral(bracketed ? host.substring(1, host.length() - 1) : host)
          .isAnyLocalAddress();
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
