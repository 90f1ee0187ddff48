package io.kvmesh.agent.config;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A TCP address from a setting.
 *
 * @param host a name, an IPv4 address, an IPv6 address without brackets, or *
 * @param port 0 = any free one
 */
record Endpoint(String host, int port) {

  private static final Pattern FORM =
      Pattern.compile("(?:tcp://)?(\\*|[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.%]+]):([0-9]{1,5})");
  private static final Pattern LOOPBACK =
      Pattern.compile("127(?:\\.[0-9]{1,3}){3}|::1|0*(?::0*)*:0*1|localhost(?:\\.localdomain)?");
  private static final Pattern WILDCARD =
      Pattern.compile("\\*|0+(?:\\.0+){3}|::|0*(?::0*){2,7}", Pattern.CASE_INSENSITIVE);

  /** {@code tcp://host:port} or {@code host:port}. */
  static Optional<Endpoint> parse(String text) {
    Matcher form = FORM.matcher(text.strip());
    if (!form.matches() || Integer.parseInt(form.group(2)) > 65_535) {
      return Optional.empty();
    }
    String host = form.group(1);
    if (host.startsWith("[")) {
      host = host.substring(1, host.length() - 1);
    }
    return Optional.of(new Endpoint(host, Integer.parseInt(form.group(2))));
  }

  /** Whether it stands for every address of the machine, so that nobody can connect to it. */
  static boolean isWildcard(String host) {
    return WILDCARD.matcher(host).matches();
  }

  /** Whether only this machine reaches it. */
  static boolean isLoopback(String host) {
    return LOOPBACK.matcher(host).matches();
  }
}
