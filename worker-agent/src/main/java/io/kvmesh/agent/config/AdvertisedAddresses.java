package io.kvmesh.agent.config;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The names under which others know and reach this agent, concluded from the settings. */
final class AdvertisedAddresses {

  private AdvertisedAddresses() {}

  /** The setting, else the host's name; empty where the host has none. */
  static String instanceId(AgentSettings settings) {
    if (!settings.instanceId().isEmpty()) {
      return settings.instanceId();
    }
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "";
    }
  }

  /** Host of the peer doors. */
  static String peerHost(AgentSettings settings) {
    return settings.peer().advertisedHost().isEmpty()
        ? hostOf(settings.peer().initBind())
        : settings.peer().advertisedHost();
  }

  /** Host of the control door. */
  static String controlHost(AgentSettings settings) {
    if (!settings.control().advertisedHost().isEmpty()) {
      return settings.control().advertisedHost();
    }
    return settings.peer().advertisedHost().isEmpty()
        ? hostOf(settings.control().bind())
        : settings.peer().advertisedHost();
  }

  /** {@code host:port}, an IPv6 host in brackets. */
  static String hostPort(String host, int port) {
    return host.indexOf(':') >= 0 ? "[%s]:%d".formatted(host, port) : host + ":" + port;
  }

  private static String hostOf(String bind) {
    return Endpoint.parse(bind).map(Endpoint::host).orElse("");
  }
}
