package io.kvmesh.agent.engine.tcp;

import io.kvmesh.common.count.Counters;
import io.kvmesh.common.count.LogLimit;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A door for clients that come over TCP. One thread accepts them and looks for those that have been
 * silent for too long; each client has a virtual thread, which waits for it.
 */
public final class TcpDoor implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(TcpDoor.class);

  private static final long LONGEST_TICK_MILLIS = 500;
  private static final Duration DRAIN = Duration.ofSeconds(5);
  private static final Duration CUT = Duration.ofSeconds(2);

  private final String name;
  private final TcpSettings settings;
  private final TcpProtocol protocol;
  private final Counters<DoorCount> counters;
  private final LongSupplier nanoTime;
  private final Map<TcpConnection, Thread> connections = new ConcurrentHashMap<>();
  private final Thread.Builder threads;
  private final LogLimit logLimit;
  private volatile boolean closing;
  private volatile int port;
  private @Nullable Thread accepting;
  private @Nullable Selector selector;

  /** Assigns only. */
  public TcpDoor(
      String name,
      TcpSettings settings,
      TcpProtocol protocol,
      Counters<DoorCount> counters,
      LongSupplier nanoTime) {
    this.name = name;
    this.settings = settings;
    this.protocol = protocol;
    this.counters = counters;
    this.nanoTime = nanoTime;
    this.logLimit = new LogLimit(nanoTime);
    this.threads = Thread.ofVirtual().name(name + "-client-", 0);
  }

  /**
   * Opens the door.
   *
   * @throws IOException if the address can't be had; its message names it
   */
  public void start() throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open();
    Selector opened = Selector.open();
    try {
      server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      server.bind(settings.bind(), settings.maxConnections());
      server.configureBlocking(false);
      port = server.socket().getLocalPort();
    } catch (IOException | RuntimeException e) {
      server.close();
      opened.close();
      throw new IOException("%s at %s: %s".formatted(name, settings.bind(), e.getMessage()), e);
    }
    selector = opened;
    accepting = Thread.ofPlatform().name(name + "-door").start(() -> accept(server, opened));
  }

  private void accept(ServerSocketChannel server, Selector accepts) {
    try (server;
        accepts) {
      SelectionKey waiting = server.register(accepts, SelectionKey.OP_ACCEPT);
      while (!closing) {
        accepts.select(tickMillis());
        accepts.selectedKeys().clear();
        // A client that can't be taken is there still: it is tried again after a tick.
        waiting.interestOps(acceptAll(server) ? SelectionKey.OP_ACCEPT : 0);
        tick();
      }
    } catch (IOException | RuntimeException e) {
      LOG.error("The door {} takes no more clients", name, e);
    }
  }

  private long tickMillis() {
    Duration shorter =
        settings.idle().compareTo(settings.stall()) < 0 ? settings.idle() : settings.stall();
    return Math.clamp(shorter.toMillis() / 4, 1, LONGEST_TICK_MILLIS);
  }

  /** Takes all who wait; false if one can't be, as when files run out. */
  private boolean acceptAll(ServerSocketChannel server) {
    try {
      SocketChannel client = server.accept();
      while (client != null) {
        take(client);
        client = server.accept();
      }
      return true;
    } catch (IOException e) {
      counters.count(DoorCount.CONNECTION_REFUSED);
      if (logLimit.permits()) {
        LOG.warn("The door {} can't take a client: {}", name, e.toString());
      }
      return false;
    }
  }

  private void take(SocketChannel client) throws IOException {
    if (connections.size() >= settings.maxConnections() && !makeRoom()) {
      counters.count(DoorCount.CONNECTION_REFUSED);
      client.close();
      return;
    }
    client.setOption(StandardSocketOptions.TCP_NODELAY, true);
    counters.count(DoorCount.CONNECTION);
    TcpConnection connection = new TcpConnection(client, nanoTime);
    Thread thread = threads.unstarted(() -> serve(connection));
    connections.put(connection, thread);
    thread.start();
  }

  /** Closes the one that has been here longest without any request. */
  private boolean makeRoom() {
    Optional<TcpConnection> oldest =
        connections.keySet().stream()
            .filter(it -> it.silentSince().isPresent())
            .min(Comparator.comparingLong(it -> it.silentSince().orElse(Long.MAX_VALUE)));
    oldest.ifPresent(
        it -> {
          counters.count(DoorCount.CONNECTION_IDLE);
          connections.remove(it);
          it.close();
        });
    return oldest.isPresent();
  }

  private void serve(TcpConnection connection) {
    try {
      TcpProtocol.Talk talk = protocol.open(connection);
      boolean more = true;
      while (more && connection.awaitRequest()) {
        more = talk.serve();
      }
      connection.flush();
    } catch (BadRequestException e) {
      counters.count(DoorCount.BAD_REQUEST);
      LOG.debug("A client of the door {} is cut off: {}", name, e.getMessage());
      flushQuietly(connection);
    } catch (IOException e) {
      if (connection.isOpen() && !connection.isIdle()) {
        counters.count(DoorCount.CONNECTION_CUT);
      }
    } catch (InterruptedException e) {
      counters.count(DoorCount.CONNECTION_CUT);
    } catch (RuntimeException | Error e) {
      counters.count(DoorCount.FAILED);
      LOG.error("A request at the door {} failed", name, e);
    } finally {
      connection.close();
      connections.remove(connection);
    }
  }

  private static void flushQuietly(TcpConnection connection) {
    try {
      connection.flush();
    } catch (IOException ignored) {
      // It doesn't want to know.
    }
  }

  /** Closes connections that have been silent for too long. */
  void tick() {
    protocol.tick();
    for (TcpConnection connection : connections.keySet()) {
      if (connection.isIdleFor(settings.idle().toNanos())) {
        counters.count(DoorCount.CONNECTION_IDLE);
        connection.close();
      } else if (connection.isStalledFor(settings.stall().toNanos())) {
        counters.count(DoorCount.CONNECTION_STALLED);
        connection.close();
      }
    }
  }

  /** The port that is open. */
  public int port() {
    return port;
  }

  /** Clients that are connected. */
  public int connections() {
    return connections.size();
  }

  /** Takes no more clients and requests, and lets those under way end for a moment. Idempotent. */
  @Override
  public void close() {
    closing = true;
    Selector accepts = selector;
    Thread thread = accepting;
    if (accepts == null || thread == null) {
      return;
    }
    accepts.wakeup();
    join(thread, CUT);
    connections.keySet().forEach(TcpConnection::drain);
    awaitAll(DRAIN);
    connections.forEach(
        (connection, client) -> {
          connection.close();
          client.interrupt();
        });
    awaitAll(CUT);
    if (!connections.isEmpty()) {
      LOG.warn("{} requests at the door {} still run", connections.size(), name);
    }
    protocol.close();
  }

  private void awaitAll(Duration atMost) {
    long deadline = System.nanoTime() + atMost.toNanos();
    for (Thread client : connections.values()) {
      join(client, Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
    }
  }

  private static void join(Thread thread, Duration atMost) {
    try {
      thread.join(atMost);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
