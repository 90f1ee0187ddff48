package io.kvmesh.agent.engine;

import io.kvmesh.common.count.Counters;
import io.kvmesh.common.count.LogLimit;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.function.LongSupplier;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Unix socket to which engines on this host connect, each for as long as it holds pages. Takes
 * processes of this agent's user alone. One thread reads; whoever owns the sessions is told on it.
 */
final class LifelineSocket implements AutoCloseable {

  /** Hears of connections, on the socket's thread; answers whether it could be told. */
  interface Listener {

    /** A connection names its session. If this can't be told the connection ends. */
    boolean named(Lifeline line, long sessionId);

    /** A connection that named its session has ended. If this can't be told it is told later. */
    boolean ended(Lifeline line);
  }

  private static final Logger LOG = LoggerFactory.getLogger(LifelineSocket.class);

  private static final Duration TICK = Duration.ofMillis(50);
  private static final Duration TO_NAME_ITS_SESSION = Duration.ofSeconds(5);
  private static final Duration CLOSE = Duration.ofSeconds(5);

  private final Path path;
  private final int most;
  private final Listener listener;
  private final Counters<EngineCount> counters;
  private final LongSupplier nanoTime;
  private final LogLimit logLimit;
  private final Deque<Lifeline> endedUntold = new ArrayDeque<>();
  private @Nullable Selector selector;
  private @Nullable ServerSocketChannel server;
  private @Nullable Thread thread;
  private volatile boolean closing;

  /**
   * Assigns only.
   *
   * @param most connections at once
   */
  LifelineSocket(
      Path path,
      int most,
      Listener listener,
      Counters<EngineCount> counters,
      LongSupplier nanoTime) {
    this.path = path;
    this.most = most;
    this.listener = listener;
    this.counters = counters;
    this.nanoTime = nanoTime;
    this.logLimit = new LogLimit(nanoTime);
  }

  /**
   * Opens it in place of what an agent that was killed left under its name.
   *
   * @throws IOException if that can't be done; nothing is open then
   */
  @SuppressWarnings("MustBeClosedChecker") // close does
  void start() throws IOException {
    try {
      Files.deleteIfExists(path);
      Selector all = Selector.open();
      selector = all;
      ServerSocketChannel door = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      server = door;
      door.bind(UnixDomainSocketAddress.of(path));
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
      UserPrincipal own = Files.getOwner(path);
      door.configureBlocking(false);
      SelectionKey waiting = door.register(all, SelectionKey.OP_ACCEPT);
      thread = Thread.ofPlatform().name("engine-lifelines").start(() -> run(all, waiting, own));
    } catch (IOException | IllegalArgumentException | UnsupportedOperationException e) {
      close();
      throw new IOException("the socket %s can't be opened: %s".formatted(path, e), e);
    }
  }

  private void run(Selector all, SelectionKey waiting, UserPrincipal own) {
    while (!closing) {
      try {
        all.select(TICK.toMillis());
        // A process that can't be taken waits: it is tried again after a tick.
        waiting.interestOps(acceptAll(all, own) ? SelectionKey.OP_ACCEPT : 0);
        for (SelectionKey key : all.selectedKeys()) {
          if (key.attachment() instanceof Lifeline line) {
            read(key, line);
          }
        }
        all.selectedKeys().clear();
        endOverdue(all);
        endedUntold.removeIf(listener::ended);
      } catch (IOException | RuntimeException e) {
        if (logLimit.permits()) {
          LOG.error("The socket {} failed", path, e);
        }
      }
    }
  }

  /** Takes all who wait; false if one can't be, as when files run out. */
  private boolean acceptAll(Selector all, UserPrincipal own) {
    ServerSocketChannel door = Objects.requireNonNull(server);
    try {
      SocketChannel channel = door.accept();
      while (channel != null) {
        take(all, channel, own);
        channel = door.accept();
      }
      return true;
    } catch (IOException e) {
      counters.count(EngineCount.LIFELINE_REFUSED);
      if (logLimit.permits()) {
        LOG.warn("The socket {} can't take a connection: {}", path, e.toString());
      }
      return false;
    }
  }

  private void take(Selector all, SocketChannel channel, UserPrincipal own) throws IOException {
    boolean taken = false;
    try {
      UserPrincipal peer = channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
      boolean full = all.keys().size() > most;
      if (full || !peer.equals(own)) {
        counters.count(EngineCount.LIFELINE_REFUSED);
        LOG.warn("A connection of {} to {} is refused{}", peer, path, full ? ": too many" : "");
        return;
      }
      channel.configureBlocking(false);
      Lifeline line = new Lifeline(channel, nanoTime.getAsLong());
      channel.register(all, SelectionKey.OP_READ, line);
      taken = true;
    } finally {
      if (!taken) {
        channel.close();
      }
    }
  }

  private void read(SelectionKey key, Lifeline line) {
    boolean namedBefore = line.sessionId().isPresent();
    boolean open = line.read();
    boolean named = line.sessionId().isPresent();
    if (named && !namedBefore && !listener.named(line, line.sessionId().getAsLong())) {
      line.close();
    } else if (!open) {
      key.cancel();
      line.close();
      if (named) {
        endedUntold.add(line);
      }
    }
  }

  private void endOverdue(Selector all) {
    long before = nanoTime.getAsLong() - TO_NAME_ITS_SESSION.toNanos();
    for (SelectionKey key : all.keys()) {
      if (key.attachment() instanceof Lifeline line && line.isOverdue(before)) {
        counters.count(EngineCount.LIFELINE_REFUSED);
        line.close();
      }
    }
  }

  /** Ends all connections. Idempotent. */
  @Override
  public void close() {
    closing = true;
    try {
      if (selector != null) {
        selector.wakeup();
      }
      if (thread != null && !thread.join(CLOSE)) {
        LOG.warn("The thread of {} still runs", path);
      }
      closeChannels();
      Files.deleteIfExists(path);
    } catch (IOException e) {
      LOG.warn("The socket {} stays", path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void closeChannels() throws IOException {
    if (server != null) {
      server.close();
    }
    if (selector != null && selector.isOpen()) {
      for (SelectionKey key : selector.keys()) {
        key.channel().close();
      }
      selector.close();
    }
  }
}
