package io.kvmesh.controller.config;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Forms of addresses in settings. */
final class Addresses {

  private static final String HOST = "(?:[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.%]+])";
  private static final Pattern HOST_PORT = Pattern.compile(HOST + ":([0-9]{1,5})");
  private static final Pattern CONNECT = Pattern.compile("tcp://" + HOST + ":([0-9]{1,5})");
  private static final Pattern BIND = Pattern.compile("tcp://(?:\\*|" + HOST + "):([0-9]{1,5})");

  private Addresses() {}

  /** {@code tcp://host:port}; host a name, an IPv4 address, an IPv6 address in brackets or *. */
  static boolean isBind(String text) {
    return hasPort(BIND.matcher(text), 0);
  }

  /** {@code tcp://host:port}, to connect to; host a name, an address, an IPv6 one in brackets. */
  static boolean isConnect(String text) {
    return hasPort(CONNECT.matcher(text), 1);
  }

  /** One or more {@code host:port}, separated by commas. */
  static boolean isServerList(String text) {
    for (String server : text.split(",", -1)) {
      if (!hasPort(HOST_PORT.matcher(server.strip()), 1)) {
        return false;
      }
    }
    return true;
  }

  static boolean isWildcard(String host) {
    return host.equals("0.0.0.0") || host.equals("::") || host.equals("*");
  }

  /** Whether the host is only this machine, as far as its text tells. */
  static boolean isLoopback(String host) {
    return host.equals("::1")
        || host.equalsIgnoreCase("localhost")
        || host.matches("127\\.[0-9.]+");
  }

  private static boolean hasPort(Matcher matcher, int lowest) {
    if (!matcher.matches()) {
      return false;
    }
    int port = Integer.parseInt(matcher.group(1));
    return port >= lowest && port <= 65_535;
  }
}
