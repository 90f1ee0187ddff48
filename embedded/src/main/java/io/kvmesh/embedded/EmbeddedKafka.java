package io.kvmesh.embedded;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.common.process.LoopbackPorts;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.jspecify.annotations.Nullable;

/**
 * One real Kafka node (broker and KRaft controller) in this JVM, on the loopback address. Topics,
 * their ids and their records survive {@link #stop} and {@link #restart}; so does the port.
 *
 * <p>Topics are never created by themselves: the program under test creates what it uses.
 */
public final class EmbeddedKafka implements AutoCloseable {

  private static final String NODE_ID = "1";
  private static final int SMALL_DEDUPE_BUFFER = 2 << 20;

  private final Path dir;
  private final int port;
  private final int controllerPort;
  private final Properties more;

  @GuardedBy("this")
  private @Nullable KafkaRaftServer server;

  private EmbeddedKafka(Path dir, int port, Properties more) throws IOException {
    this.dir = dir.toAbsolutePath();
    this.port = port == 0 ? LoopbackPorts.free() : port;
    this.controllerPort = LoopbackPorts.free();
    this.more = more;
  }

  /**
   * Starts a node and waits until it serves.
   *
   * @param dir holds its data; created when missing, continued from when it holds some
   * @param port the port to listen on, or 0 for a free one
   * @throws IOException with one clear line when the port is in use or the folder can't be used
   */
  public static EmbeddedKafka start(Path dir, int port) throws IOException {
    return start(dir, port, new Properties());
  }

  /**
   * As {@link #start(Path, int)}.
   *
   * @param more the broker's properties that differ from what is usual here
   */
  static EmbeddedKafka start(Path dir, int port, Properties more) throws IOException {
    EmbeddedKafka kafka = new EmbeddedKafka(dir, port, more);
    kafka.startServer();
    return kafka;
  }

  /** Where clients connect, also while it is stopped. */
  public String bootstrapServers() {
    return "127.0.0.1:" + port;
  }

  public int port() {
    return port;
  }

  /** Stops it in an orderly way; the data stays. Does nothing when it is stopped already. */
  public synchronized void stop() {
    KafkaRaftServer running = server;
    server = null;
    if (running != null) {
      running.shutdown();
      running.awaitShutdown();
    }
  }

  /** Stops it where it runs and starts it again on the same data and port. */
  public void restart() throws IOException {
    stop();
    startServer();
  }

  @Override
  public void close() {
    stop();
  }

  private synchronized void startServer() throws IOException {
    LoopbackPorts.requireFree(port, "Kafka");
    try {
      format();
      KafkaRaftServer starting =
          new KafkaRaftServer(KafkaConfig.fromProps(properties()), Time.SYSTEM);
      server = starting;
      starting.startup();
    } catch (Exception e) {
      stopAfterFailure(e);
      throw new IOException(
          "Kafka cannot start in %s: %s: %s"
              .formatted(dir, e.getClass().getSimpleName(), e.getMessage()),
          e);
    }
  }

  private void stopAfterFailure(Exception failure) {
    try {
      stop();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  /** Writes the identity that Kafka wants to find in an empty folder. */
  private void format() throws Exception {
    Files.createDirectories(dir);
    if (Files.exists(dir.resolve("meta.properties"))) {
      return;
    }
    new Formatter()
        .setPrintStream(
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
        .setClusterId(Uuid.randomUuid().toString())
        .setNodeId(Integer.parseInt(NODE_ID))
        .setControllerListenerName("CONTROLLER")
        .setMetadataLogDirectory(dir.toString())
        .addDirectory(dir.toString())
        .run();
  }

  private Properties properties() {
    Properties p = new Properties();
    p.setProperty("process.roles", "broker,controller");
    p.setProperty("node.id", NODE_ID);
    p.setProperty("controller.quorum.voters", NODE_ID + "@127.0.0.1:" + controllerPort);
    p.setProperty(
        "listeners", "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort);
    p.setProperty("advertised.listeners", "PLAINTEXT://127.0.0.1:" + port);
    p.setProperty("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
    p.setProperty("controller.listener.names", "CONTROLLER");
    p.setProperty("inter.broker.listener.name", "PLAINTEXT");
    p.setProperty("log.dirs", dir.toString());
    p.setProperty("log.message.timestamp.type", "LogAppendTime");
    p.setProperty("auto.create.topics.enable", "false");
    singleNode(p);
    small(p);
    p.putAll(more);
    return p;
  }

  /** No replication and no waiting for members that can't come. */
  private static void singleNode(Properties p) {
    p.setProperty("offsets.topic.replication.factor", "1");
    p.setProperty("offsets.topic.num.partitions", "1");
    p.setProperty("transaction.state.log.replication.factor", "1");
    p.setProperty("transaction.state.log.num.partitions", "1");
    p.setProperty("transaction.state.log.min.isr", "1");
    p.setProperty("share.coordinator.state.topic.replication.factor", "1");
    p.setProperty("share.coordinator.state.topic.num.partitions", "1");
    p.setProperty("share.coordinator.state.topic.min.isr", "1");
    p.setProperty("group.initial.rebalance.delay.ms", "0");
    p.setProperty("controller.quorum.election.timeout.ms", "200");
    p.setProperty("controller.quorum.fetch.timeout.ms", "400");
    // Without a controlled shutdown the next start waits until this broker's session has run out.
    p.setProperty("controlled.shutdown.enable", "true");
    p.setProperty("broker.session.timeout.ms", "5000");
    p.setProperty("broker.heartbeat.interval.ms", "500");
  }

  /** Fits a heap of 256 MiB and two cores. */
  private static void small(Properties p) {
    p.setProperty("log.cleaner.dedupe.buffer.size", Integer.toString(SMALL_DEDUPE_BUFFER));
    p.setProperty("num.network.threads", "2");
    p.setProperty("num.io.threads", "2");
    p.setProperty("background.threads", "2");
  }
}
