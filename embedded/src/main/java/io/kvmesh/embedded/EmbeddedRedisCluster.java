package io.kvmesh.embedded;

import io.kvmesh.common.process.LoopbackPorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A Redis Cluster of child processes on the loopback address, without persistence: the first nodes
 * are its primaries, the others their replicas, in turn. They end with this JVM.
 */
public final class EmbeddedRedisCluster implements AutoCloseable {

  private static final int SLOTS = 16_384;
  private static final int BUS_PORT_ABOVE = 10_000;
  private static final int ATTEMPTS = 100;
  private static final int NODE_TIMEOUT_MILLIS = 1_000;
  private static final Duration FORM_LIMIT = Duration.ofSeconds(30);

  private final List<EmbeddedRedis> nodes;

  private EmbeddedRedisCluster(List<EmbeddedRedis> nodes) {
    this.nodes = nodes;
  }

  /**
   * Starts the nodes, makes them a cluster, and waits until it takes commands everywhere.
   *
   * @param dir holds the executable and a folder for each node
   * @param replicas of each primary
   */
  public static EmbeddedRedisCluster start(Path dir, int primaries, int replicas)
      throws IOException {
    Path absolute = Files.createDirectories(dir.toAbsolutePath());
    Path executable = RedisExecutable.find(absolute);
    EmbeddedRedisCluster cluster = new EmbeddedRedisCluster(new ArrayList<>());
    try {
      for (int i = 0; i < primaries * (1 + replicas); i++) {
        cluster.nodes.add(startNode(executable, absolute.resolve("node-" + i)));
      }
      cluster.form(primaries);
      return cluster;
    } catch (IOException e) {
      cluster.close();
      throw e;
    }
  }

  private static EmbeddedRedis startNode(Path executable, Path dir) throws IOException {
    List<String> options =
        List.of(
            "--cluster-enabled",
            "yes",
            "--cluster-node-timeout",
            Integer.toString(NODE_TIMEOUT_MILLIS));
    return EmbeddedRedis.start(executable, Files.createDirectories(dir), freePort(), options);
  }

  /** A port whose bus port is free as well. */
  private static int freePort() throws IOException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      int port = LoopbackPorts.free();
      if (LoopbackPorts.isFree(port + BUS_PORT_ABOVE)) {
        return port;
      }
    }
    throw new IOException("no port of which the bus port is free too");
  }

  private void form(int primaries) throws IOException {
    for (int i = 0; i < nodes.size(); i++) {
      say(nodes.get(i), "CLUSTER SET-CONFIG-EPOCH " + (i + 1));
      say(nodes.get(i), "CLUSTER MEET 127.0.0.1 " + nodes.getFirst().port());
    }
    for (int i = 0; i < primaries; i++) {
      say(nodes.get(i), "CLUSTER ADDSLOTS " + slots(i, primaries));
    }
    await("cluster_known_nodes:" + nodes.size());
    for (int i = primaries; i < nodes.size(); i++) {
      String primary = nodes.get(i % primaries).ask("CLUSTER MYID");
      say(nodes.get(i), "CLUSTER REPLICATE " + primary);
    }
    await("cluster_state:ok");
    awaitSlots();
  }

  private static String slots(int primary, int primaries) {
    return IntStream.range(SLOTS * primary / primaries, SLOTS * (primary + 1) / primaries)
        .mapToObj(Integer::toString)
        .collect(Collectors.joining(" "));
  }

  private static void say(EmbeddedRedis node, String line) throws IOException {
    String answer = node.ask(line);
    if (!answer.equals("+OK")) {
      throw new IOException("Redis answered '%s' to '%.40s'".formatted(answer, line));
    }
  }

  private void awaitSlots() throws IOException {
    await("cluster_slots_ok:" + SLOTS);
  }

  /** Waits until every node's view of the cluster has the line. */
  private void await(String line) throws IOException {
    long deadline = System.nanoTime() + FORM_LIMIT.toNanos();
    for (EmbeddedRedis node : nodes) {
      while (!node.ask("CLUSTER INFO").lines().toList().contains(line)) {
        if (System.nanoTime() > deadline) {
          throw new IOException(
              "the cluster has no '%s': %s".formatted(line, node.ask("CLUSTER INFO")));
        }
        EmbeddedRedis.pause();
      }
    }
  }

  /** Where clients may begin: all of its nodes. */
  public List<String> uris() {
    return nodes.stream().map(EmbeddedRedis::uri).toList();
  }

  /** Ends a node for good. */
  public void kill(int node) {
    nodes.get(node).stop();
  }

  /** The node's own view: what CLUSTER INFO says. */
  public String info(int node) throws IOException {
    return nodes.get(node).ask("CLUSTER INFO");
  }

  @Override
  public void close() {
    nodes.forEach(EmbeddedRedis::close);
  }
}
