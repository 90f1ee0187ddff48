package io.kvmesh.agent.transfer;

import io.kvmesh.common.count.Counters;
import io.kvmesh.common.count.LogLimit;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.trace.Traces;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.peer.BatchedPutDoneMsg;
import io.kvmesh.common.zmq.RefusedFrames;
import io.kvmesh.common.zmq.SocketLoop;
import io.kvmesh.common.zmq.ZmqSockets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks peers for chunks. One thread owns all connections; requests may come from any and are
 * answered through futures, many at a time. No request id is used twice in the life of this object,
 * and ids start at a random number, so that an answer to a former life isn't taken for one to this.
 */
public final class PeerClient implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(PeerClient.class);

  private static final Duration TICK = Duration.ofMillis(10);
  private static final int MAX_QUEUED_TASKS = 16_384;

  private final LocalPeer self;
  private final PeerClientSettings settings;
  private final Counters<PullCount> counters;
  private final MessageCodec codec;
  private final Traces traces;
  private final LongSupplier nanoTime;
  private final SocketLoop loop;
  private final InFlightBudget budget;
  private final PeerSpeeds speeds;
  private final CopyHelpers helpers;
  private final RefusedFrames refused;
  private final LogLimit mayWarn;
  private final ChannelTraffic traffic = new ChannelTraffic();
  private final AtomicLong requestIds = new AtomicLong(new SecureRandom().nextLong());
  private volatile String ownAddress = "";
  private volatile int connections;

  /** By address; the loop's thread alone. */
  private final Map<String, PeerLink> links = new HashMap<>();

  /** Assigns only. */
  public PeerClient(
      LocalPeer self,
      PeerClientSettings settings,
      ZmqSockets sockets,
      MessageCodec codec,
      Counters<PullCount> counters,
      Traces traces,
      LongSupplier nanoTime) {
    this.self = self;
    this.settings = settings;
    this.codec = codec;
    this.counters = counters;
    this.traces = traces;
    this.nanoTime = nanoTime;
    this.loop = new SocketLoop("peer-client", sockets, MAX_QUEUED_TASKS);
    this.budget = new InFlightBudget(settings.maxInFlightPerPeer(), settings.maxInFlight());
    this.speeds = new PeerSpeeds(settings.maxPeers(), nanoTime);
    this.helpers = new CopyHelpers(settings.copyThreads());
    this.refused = new RefusedFrames("peer-client", nanoTime);
    this.mayWarn = new LogLimit(nanoTime);
  }

  /**
   * Begins to work.
   *
   * @param initAddress host:port of this agent's own init port, by which peers know it
   */
  public void start(String initAddress) {
    ownAddress = initAddress;
    loop.every(TICK, this::tick);
    loop.start();
  }

  /** Ends all connections; every request that waits is answered. */
  @Override
  public void close() {
    loop.execute(
        () -> {
          links.values().forEach(link -> link.close("this agent is closing"));
          links.clear();
        });
    loop.close();
    helpers.close();
  }

  /** Frames that were refused. */
  public RefusedFrames refusedFrames() {
    return refused;
  }

  /** Peers that there is a connection to, or that are remembered. */
  public int connections() {
    return connections;
  }

  /** Bytes asked for and not yet taken in. */
  public long bytesInFlight() {
    return budget.taken();
  }

  /** What came over each channel. */
  public ChannelTraffic traffic() {
    return traffic;
  }

  LocalPeer self() {
    return self;
  }

  LongSupplier nanoTime() {
    return nanoTime;
  }

  Traces traces() {
    return traces;
  }

  InFlightBudget budget() {
    return budget;
  }

  PeerSpeeds speeds() {
    return speeds;
  }

  /** How many chunks one request may ask a peer for. */
  int mostChunks(String peer, PullLimits limits) {
    return traffic.readsMemoryOf(peer)
        ? limits.chunksAtOnce(self.pageBytes(), settings.maxInFlightPerPeer())
        : limits.chunksAtOnce(self.pageBytes());
  }

  CopyHelpers helpers() {
    return helpers;
  }

  /**
   * Asks once, in the name of this thread's span. The future is completed by the deadline or soon
   * after; who stops waiting cancels it, and a later answer is then dropped.
   */
  CompletableFuture<GetAnswer> get(String peer, List<String> keys, Deadline deadline) {
    PeerRequests.Get request = new PeerRequests.Get(keys, traces.current(), deadline);
    enqueue(peer, request);
    return request.answer();
  }

  /**
   * Whether this peer answers, also if it is being passed over: shakes hands where that wasn't
   * done, and asks for nothing.
   *
   * @return completes with why it can't be pulled from, by the deadline or soon after; empty if it
   *     can
   */
  CompletableFuture<Optional<String>> probe(String peer, Deadline deadline) {
    return get(peer, List.of(), deadline)
        .thenApply(
            answer ->
                switch (answer) {
                  case GetAnswer.Delivered delivered -> {
                    delivered.release();
                    yield Optional.empty();
                  }
                  case GetAnswer.Refused(int code, String detail) ->
                      Optional.of("answers with code " + code + ": " + detail);
                  case GetAnswer.Lost(String reason) -> Optional.of(reason);
                  case GetAnswer.Unreachable(String reason) -> Optional.of(reason);
                  case GetAnswer.Garbled(String reason) -> Optional.of(reason);
                  case GetAnswer.Expired() -> Optional.of("no answer in time");
                });
  }

  /** Tells a peer once to take chunks; the same goes for this future. */
  CompletableFuture<PutAnswer> put(String peer, PutBatch batch, Deadline deadline) {
    PeerRequests.Put request = new PeerRequests.Put(batch, deadline);
    enqueue(peer, request);
    return request.answer();
  }

  private void enqueue(String peer, PeerRequests.Request request) {
    if (!loop.execute(() -> submit(peer, request))) {
      request.fail(new GetAnswer.Unreachable("too much is under way"));
    }
  }

  /** Tells a peer that a move is over; without a connection the peer finds out by time. */
  void endMove(String peer, long moveId) {
    onLink(peer, link -> link.tell(new BatchedPutDoneMsg(ownAddress, moveId)));
  }

  /** This peer sent a chunk whose bytes were wrong: it is passed over for a while. */
  void blame(String peer, ChunkKey harmed) {
    if (mayWarn.permits()) {
      LOG.warn("The chunk {} came harmed from {}: its checksum differs", harmed, peer);
    }
    blame(peer);
  }

  /** A pull waited in vain for this peer since then; it is blamed if it answered nobody since. */
  void gaveUp(String peer, long sinceNanos) {
    onLink(peer, link -> link.gaveUp(sinceNanos));
  }

  /** This peer failed us: it is passed over for a while. */
  void blame(String peer) {
    onLink(peer, PeerLink::blame);
  }

  private void onLink(String peer, Consumer<PeerLink> action) {
    loop.execute(() -> Optional.ofNullable(links.get(peer)).ifPresent(action));
  }

  private void submit(String peer, PeerRequests.Request request) {
    PeerLink link = links.get(peer);
    if (link == null) {
      if (links.size() >= settings.maxPeers() && !dropOldest()) {
        request.fail(new GetAnswer.Unreachable("too many peers are in use"));
        return;
      }
      link = new PeerLink(new Context(), peer);
      links.put(peer, link);
      connections = links.size();
    }
    link.submit(request);
  }

  private boolean dropOldest() {
    Optional<Map.Entry<String, PeerLink>> oldest =
        links.entrySet().stream()
            .filter(link -> link.getValue().requests() == 0)
            .min(Comparator.comparingLong(link -> link.getValue().lastUsedNanos()));
    oldest.ifPresent(
        link -> {
          links.remove(link.getKey());
          drop(link.getValue());
        });
    return oldest.isPresent();
  }

  private void tick() {
    Iterator<Map.Entry<String, PeerLink>> all = links.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<String, PeerLink> link = all.next();
      link.getValue().tick();
      if (link.getValue().idleFor(settings.idleTimeout().toNanos())) {
        all.remove();
        drop(link.getValue());
      }
    }
  }

  private void drop(PeerLink link) {
    link.close("unused");
    connections = links.size();
  }

  /** What a link needs of its client. The loop's thread alone. */
  final class Context {

    private Context() {}

    SocketLoop loop() {
      return loop;
    }

    LocalPeer self() {
      return self;
    }

    String ownAddress() {
      return ownAddress;
    }

    PeerClientSettings settings() {
      return settings;
    }

    MessageCodec codec() {
      return codec;
    }

    Counters<PullCount> counters() {
      return counters;
    }

    LongSupplier nanoTime() {
      return nanoTime;
    }

    ChannelTraffic traffic() {
      return traffic;
    }

    RefusedFrames refused() {
      return refused;
    }

    long nextRequestId() {
      return requestIds.incrementAndGet();
    }

    String nextLookupId() {
      return self.id() + "-" + Long.toHexString(requestIds.get());
    }
  }
}
