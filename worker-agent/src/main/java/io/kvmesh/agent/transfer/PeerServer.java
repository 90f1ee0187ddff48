package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.trace.Traces;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.zmq.RefusedFrames;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketLoop;
import io.kvmesh.common.zmq.UrlHost;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves this agent's chunks to its peers: a door for handshakes, another for requests. One thread
 * owns both, and all that is agreed and lent. Every message that can be read gets one reply, but
 * for BatchedGetDoneMsg, which has none; so does every message that can't be read, as an error.
 */
public final class PeerServer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(PeerServer.class);

  private static final Duration OVERDUE_CHECK = Duration.ofMillis(100);

  /** Besides the replies to pushes, which come from other threads. */
  private static final int MAX_QUEUED_TASKS = 128;

  private final LocalPeer self;
  private final PeerServerSettings settings;
  private final ChunkCache cache;
  private final MessageCodec codec;
  private final Counters<ServerCount> counters;
  private final Traces traces;
  private final SocketLoop loop;
  private final KnownPeers peers;
  private final Loans loans;

  /** Null where nothing is sealed. */
  private final @Nullable SealedSessions sessions;

  private final PutDesk puts;
  private final RefusedFrames refusedAtInit;
  private final RefusedFrames refusedAtLookup;
  private volatile String initAddress = "";
  private volatile String lookupAddress = "";

  /**
   * Assigns only.
   *
   * @param client asks the senders of pushes for their chunks; closes before this server
   */
  public PeerServer(
      LocalPeer self,
      PeerServerSettings settings,
      ChunkCache cache,
      PeerClient client,
      ZmqSockets sockets,
      MessageCodec codec,
      Counters<ServerCount> counters,
      LongSupplier nanoTime) {
    this.self = self;
    this.settings = settings;
    this.cache = cache;
    this.codec = codec;
    this.counters = counters;
    this.traces = client.traces();
    this.loop =
        new SocketLoop("peer-server", sockets, MAX_QUEUED_TASKS + settings.puts().maxWaiting());
    this.peers = new KnownPeers(self, settings.maxPeers());
    this.loans = new Loans(settings.loanLimits(), nanoTime);
    this.sessions =
        settings.sockets().keys().isPresent() ? new SealedSessions(settings.maxPeers()) : null;
    this.puts = new PutDesk(self, cache, peers, client, settings.puts(), counters, nanoTime);
    this.refusedAtInit = new RefusedFrames("peer-init", nanoTime);
    this.refusedAtLookup = new RefusedFrames("peer-lookup", nanoTime);
  }

  /**
   * Opens both doors.
   *
   * @throws IOException if an address is taken; the server is then closed
   */
  public void start() throws IOException {
    loop.every(OVERDUE_CHECK, this::countOverdue);
    loop.every(OVERDUE_CHECK, puts::expire);
    loop.start();
    try {
      ZmqSocket lookup =
          loop.bind(
              SocketKind.ROUTER,
              settings.lookupBind(),
              settings.sockets().withoutKeys(),
              lookupDoor());
      lookupAddress = hostPort(lookup);
      ZmqSocket init =
          loop.bind(SocketKind.ROUTER, settings.initBind(), settings.sockets(), initDoor());
      initAddress = hostPort(init);
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  private LookupDoor lookupDoor() {
    GetDesk gets =
        new GetDesk(
            self,
            cache,
            peers,
            loans,
            counters,
            settings.maxReply(),
            sessions == null ? 0 : FrameSeal.OVERHEAD_BYTES);
    DoorReplies replies = new DoorReplies(codec, sessions, loop, refusedAtLookup, counters);
    return new LookupDoor(gets, puts, loans, replies, sessions, codec, counters, traces);
  }

  private InitDoor initDoor() {
    return new InitDoor(
        new HandshakeDesk(self, peers, counters, lookupAddress, sessions),
        new DoorReplies(codec, null, loop, refusedAtInit, counters),
        codec);
  }

  private String hostPort(ZmqSocket socket) {
    return UrlHost.of(settings.advertisedHost()) + ":" + socket.port();
  }

  /**
   * Ends all pushes, closes both doors and ends all loans; the memory stays in use until the
   * sockets' context ends.
   */
  @Override
  public void close() {
    puts.close();
    if (loop.close(Duration.ofSeconds(5))) {
      loans.endAll();
    }
  }

  /** Address of the init port as peers and controllers know it, host:port. */
  public String initAddress() {
    return initAddress;
  }

  /** Address of the lookup port as peers know it, host:port. */
  public String lookupAddress() {
    return lookupAddress;
  }

  /** Whether what peers hand over that are going is kept here; at first it is. */
  public void takesDrains(boolean takes) {
    puts.takesDrains(takes);
  }

  /** Whether it is now. */
  public boolean takesDrains() {
    return puts.takesDrains();
  }

  /** Bytes on loan. */
  public long bytesOnLoan() {
    return loans.openBytes();
  }

  /** Loans that peers have. */
  public int openLoans() {
    return loans.openLoans();
  }

  /** Loans that are overdue. */
  public int overdueLoans() {
    return loans.overdueLoans();
  }

  /** Chunks that are held until the moves are over which brought them. */
  public int heldForMoves() {
    return puts.heldChunks();
  }

  /** Frames that were refused, by door. */
  public List<RefusedFrames> refusedFrames() {
    return List.of(refusedAtInit, refusedAtLookup);
  }

  private void countOverdue() {
    int found = loans.markOverdue();
    if (found > 0) {
      counters.add(ServerCount.LOAN_OVERDUE, found);
      LOG.warn("{} loans to peers are overdue; {} in all now", found, loans.overdueLoans());
    }
  }
}
