package io.kvmesh.controller.index.redis;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the durable view is and how it is reached.
 *
 * @param addresses redis:// or rediss:// addresses; of a cluster some of its nodes, else one
 * @param cluster whether they are nodes of a cluster
 * @param username empty = that of the addresses, or none
 * @param password empty = that of the addresses, or none
 * @param caFile certificates in PEM by which rediss:// servers are known; null = those of the JVM
 * @param timeout of one command
 * @param topologyRefresh how often a cluster is asked for its topology, besides when a node says
 *     that it has changed or a connection was lost
 */
public record RedisSettings(
    List<String> addresses,
    boolean cluster,
    String username,
    String password,
    @Nullable Path caFile,
    Duration timeout,
    Duration topologyRefresh) {

  private static final Duration TOPOLOGY_REFRESH = Duration.ofSeconds(30);

  /** Checks the addresses' number and copies the list. */
  public RedisSettings {
    addresses = List.copyOf(addresses);
    if (addresses.isEmpty() || (!cluster && addresses.size() > 1)) {
      throw new IllegalArgumentException(
          "One server has one address, a cluster one or more; got " + addresses.size());
    }
  }

  /** One server, without further ado. */
  public static RedisSettings server(String address, Duration timeout) {
    return of(List.of(address), false, timeout);
  }

  /** A cluster, without further ado. */
  public static RedisSettings cluster(List<String> addresses, Duration timeout) {
    return of(addresses, true, timeout);
  }

  private static RedisSettings of(List<String> addresses, boolean cluster, Duration timeout) {
    return new RedisSettings(addresses, cluster, "", "", null, timeout, TOPOLOGY_REFRESH);
  }

  /** The addresses of a text in which commas separate them. */
  public static List<String> split(String addresses) {
    return Arrays.stream(addresses.split(",", -1)).map(String::strip).toList();
  }

  /** Without the password. */
  @Override
  public String toString() {
    return "RedisSettings[%d addresses, cluster=%s]".formatted(addresses.size(), cluster);
  }
}
