package io.kvmesh.common.zmq;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.common.count.LogLimit;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import zmq.ZMQ;
import zmq.io.Metadata;
import zmq.io.net.Address;

/**
 * Keeps the connections of a listening socket within bounds, which the library doesn't: it waits
 * for ever for who has sent a greeting and no more, takes any number of connections, and any number
 * of frames of a message that never ends. A connection is proven by the first frame that comes over
 * it once both sides are ready, an answer to a ping among them. Who is cut off sees its connection
 * end, as if this side had gone. Any thread.
 */
final class ConnectionGuard implements ZMQ.EventConsummer {

  static final int EVENTS = ZMQ.ZMQ_EVENT_ACCEPTED | ZMQ.ZMQ_EVENT_DISCONNECTED;

  private static final Logger LOG = LoggerFactory.getLogger(ConnectionGuard.class);

  /** A message of more frames than allowed is dropped; one of so many times more has no end. */
  private static final int ENDLESS = 2;

  /**
   * What is allowed.
   *
   * @param maxConnections at once
   * @param maxFrames of a message that is taken
   * @param proofNanos within which a connection is proven; 0 = that can't be told of each
   */
  record Limits(int maxConnections, int maxFrames, long proofNanos) {}

  private final Limits limits;
  private final ConnectionCounts counts;
  private final LongSupplier nanoTime;
  private final LogLimit log;
  private volatile String endpoint = "";

  /** Any thread may set it: whichever is seen is right. */
  private @Nullable Sender last;

  @GuardedBy("this")
  private final Map<SelectableChannel, Connection> open = new LinkedHashMap<>();

  /** Asked for every frame: those who ask don't wait for one another. */
  private final Map<String, Connection> byAddress = new ConcurrentHashMap<>();

  ConnectionGuard(Limits limits, ConnectionCounts counts, LongSupplier nanoTime) {
    this.limits = limits;
    this.counts = counts;
    this.nanoTime = nanoTime;
    this.log = new LogLimit(nanoTime);
  }

  /** One connection; its frames are counted by the I/O thread that reads them. */
  private static final class Connection {

    private final SocketChannel channel;
    private final String address;
    private final long sinceNanos;
    private volatile boolean proven;
    private int frames;

    Connection(SocketChannel channel, String address, long sinceNanos) {
      this.channel = channel;
      this.address = address;
      this.sinceNanos = sinceNanos;
    }
  }

  /** Whose frame came last. */
  private record Sender(Metadata metadata, Connection connection) {}

  /** The socket listens there, as the log names it. */
  void listensAt(String listening) {
    endpoint = listening;
  }

  @Override
  public void consume(ZMQ.Event event) {
    if (event.event == ZMQ.ZMQ_EVENT_ACCEPTED && event.arg instanceof SocketChannel channel) {
      accepted(channel);
    } else if (event.arg instanceof SelectableChannel channel) {
      forget(channel);
    }
  }

  private void accepted(SocketChannel channel) {
    String address;
    try {
      // As the library writes it into the metadata of what comes.
      address = new Address(channel.getRemoteAddress()).address();
    } catch (IOException | RuntimeException goneAlready) {
      LOG.debug("A client of {} has gone: {}", endpoint, goneAlready.toString());
      return;
    }
    Connection connection = new Connection(channel, address, nanoTime.getAsLong());
    synchronized (this) {
      if (open.size() >= limits.maxConnections()) {
        forgetClosed();
      }
      if (open.size() < limits.maxConnections() || makeRoom()) {
        open.put(channel, connection);
        byAddress.put(address, connection);
        counts.opened();
        return;
      }
    }
    cut(connection, ConnectionCut.CROWDED);
  }

  @GuardedBy("this")
  private void forgetClosed() {
    open.keySet().stream().filter(it -> !it.isOpen()).toList().forEach(this::forget);
  }

  /** Cuts off the one that has been here longest without a proof. */
  @GuardedBy("this")
  private boolean makeRoom() {
    Optional<Connection> oldest =
        open.values().stream()
            .filter(it -> !it.proven)
            .min(Comparator.comparingLong(it -> it.sinceNanos));
    oldest.ifPresent(
        it -> {
          forget(it.channel);
          cut(it, ConnectionCut.CROWDED);
        });
    return oldest.isPresent();
  }

  private synchronized void forget(SelectableChannel channel) {
    Connection connection = open.remove(channel);
    if (connection != null) {
      byAddress.remove(connection.address, connection);
      counts.closed();
    }
  }

  /** A frame came, and others of its message follow or don't. On the thread that read it. */
  void onFrame(Metadata metadata, boolean more, boolean command) {
    Connection connection = sender(metadata);
    if (connection == null) {
      return;
    }
    if (!connection.proven) {
      connection.proven = true;
    }
    if (command) {
      return;
    }
    connection.frames = more ? connection.frames + 1 : 0;
    if (connection.frames > (long) ENDLESS * limits.maxFrames()) {
      connection.frames = 0;
      last = null;
      forget(connection.channel);
      cut(connection, ConnectionCut.ENDLESS);
    }
  }

  /** Frames mostly come several in a row, and those of one connection share what tells of it. */
  @SuppressWarnings("ReferenceEquality") // To compare what they tell would cost more than it saves.
  private @Nullable Connection sender(Metadata metadata) {
    Sender known = last;
    if (known != null && known.metadata == metadata) {
      return known.connection;
    }
    Connection found = connection(metadata.get(Metadata.PEER_ADDRESS));
    if (found != null) {
      last = new Sender(metadata, found);
    }
    return found;
  }

  /** A message came from there; for where frames don't tell whose they are. */
  void heardFrom(String address) {
    Connection connection = connection(address);
    if (connection != null) {
      connection.proven = true;
    }
  }

  private @Nullable Connection connection(@Nullable String address) {
    return address == null ? null : byAddress.get(address);
  }

  /** Cuts off who hasn't proven itself in time. */
  void tick() {
    if (limits.proofNanos() == 0) {
      return;
    }
    long now = nanoTime.getAsLong();
    synchronized (this) {
      forgetClosed();
      open.values().stream()
          .filter(it -> !it.proven && now - it.sinceNanos > limits.proofNanos())
          .toList()
          .forEach(
              it -> {
                forget(it.channel);
                cut(it, ConnectionCut.SILENT);
              });
    }
  }

  /** The socket is closed. Idempotent. */
  @Override
  public synchronized void close() {
    open.keySet().stream().toList().forEach(this::forget);
  }

  /** The library sees the end of its input and closes the connection itself, and all it holds. */
  private void cut(Connection connection, ConnectionCut why) {
    counts.cut(why);
    if (log.permits()) {
      LOG.warn(
          "The connection from {} to {} is cut off: {}; {} so far",
          connection.address,
          endpoint,
          why.rule(),
          counts.cuts(why));
    }
    try {
      connection.channel.shutdownInput();
    } catch (IOException goneAlready) {
      LOG.debug("{} has gone: {}", connection.address, goneAlready.getMessage());
    }
  }
}
