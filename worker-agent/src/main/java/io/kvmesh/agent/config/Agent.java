package io.kvmesh.agent.config;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.cache.PinMonitor;
import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.agent.control.CommandDesk;
import io.kvmesh.agent.control.ControlCount;
import io.kvmesh.agent.control.ControlServer;
import io.kvmesh.agent.directory.ControllerDirectory;
import io.kvmesh.agent.directory.DirectoryCount;
import io.kvmesh.agent.directory.HeartbeatSender;
import io.kvmesh.agent.directory.LocalLookupCache;
import io.kvmesh.agent.drain.Drainer;
import io.kvmesh.agent.engine.EngineApi;
import io.kvmesh.agent.engine.EngineCount;
import io.kvmesh.agent.engine.EngineSettings;
import io.kvmesh.agent.engine.NativeDoor;
import io.kvmesh.agent.event.EventOutbox;
import io.kvmesh.agent.event.KafkaEventPublisher;
import io.kvmesh.agent.event.PublisherSettings;
import io.kvmesh.agent.fleet.FleetPuller;
import io.kvmesh.agent.fleet.PrefetchCount;
import io.kvmesh.agent.fleet.Prefetcher;
import io.kvmesh.agent.ops.AgentParts;
import io.kvmesh.agent.ops.ArenaView;
import io.kvmesh.agent.ops.Latencies;
import io.kvmesh.agent.transfer.ChunkMover;
import io.kvmesh.agent.transfer.LocalPeer;
import io.kvmesh.agent.transfer.MoveCount;
import io.kvmesh.agent.transfer.PeerClient;
import io.kvmesh.agent.transfer.PeerReachability;
import io.kvmesh.agent.transfer.PeerServer;
import io.kvmesh.agent.transfer.PrefixPuller;
import io.kvmesh.agent.transfer.PullCount;
import io.kvmesh.agent.transfer.ServerCount;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.trace.Traces;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.control.ReachWorkerMsg;
import io.kvmesh.common.wire.control.WorkerCertificate;
import io.kvmesh.common.wire.directory.HeartbeatMsg;
import io.kvmesh.common.zmq.ZmqSockets;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The running agent: every object, in the order in which they start. It closes in the reverse
 * order: first the doors, so that nothing new comes in; then the log hears what happened and that
 * this worker is gone; then the sockets' context ends, and only then is memory unmapped from which
 * it may have been sending.
 */
public final class Agent implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Agent.class);

  private static final Duration LOG_CLOSE = Duration.ofSeconds(5);
  private static final LongSupplier NANO_TIME = System::nanoTime;

  private static final Duration SOCKETS_CLOSE = Duration.ofSeconds(5);
  private static final String MEMORY = "memory";
  private static final String SOCKETS = "sockets";

  private record Step(String name, Runnable close) {}

  private final AgentSettings settings;
  private final Parts parts;
  private final @Nullable String version;
  private final Supplier<List<WorkerCertificate>> certificates;
  private final WorkerId id;
  private final Life life = new Life();
  private final MessageCodec codec = new MessageCodec();
  private final Counters<ServerCount> serverCounts = new Counters<>(ServerCount.class);
  private final Counters<PullCount> pullCounts = new Counters<>(PullCount.class);
  private final Counters<DirectoryCount> directoryCounts = new Counters<>(DirectoryCount.class);
  private final Counters<MoveCount> moveCounts = new Counters<>(MoveCount.class);
  private final Counters<MoveCount> drainCounts = new Counters<>(MoveCount.class);
  private final Counters<PrefetchCount> prefetchCounts = new Counters<>(PrefetchCount.class);
  private final Counters<ControlCount> controlCounts = new Counters<>(ControlCount.class);
  private final Counters<EngineCount> engineCounts = new Counters<>(EngineCount.class);
  private final Map<String, String> doors = new ConcurrentSkipListMap<>();
  private final Deque<Step> started = new ArrayDeque<>();

  private final ZmqSockets sockets;
  private final CacheRoom room;
  private final EventOutbox outbox;
  private final ChunkCache cache;
  private final PinMonitor pinMonitor;
  private final LocalPeer self;
  private final PeerServer peerServer;
  private final ControlServer control;
  private final PeerClient peerClient;
  private final ChunkMover mover;
  private final ControllerDirectory directory;
  private final Drainer drainer;
  private final LocalLookupCache lookups;
  private final PrefixPuller puller;
  private final Prefetcher prefetcher;
  private final NativeDoor engine;
  private final TcpDoors tcpDoors;
  private volatile @Nullable KafkaEventPublisher publisher;

  /**
   * Maps the memory; nothing runs yet.
   *
   * @param traces of what it does
   * @param version of this program; null = not known
   * @param certificates that this program works with now, to be told to controllers
   */
  public Agent(
      AgentSettings settings,
      Latencies latencies,
      Traces traces,
      @Nullable String version,
      Supplier<List<WorkerCertificate>> certificates) {
    this.version = version;
    this.certificates = certificates;
    this.settings = settings;
    this.id = new WorkerId(AdvertisedAddresses.instanceId(settings), settings.rank());
    this.parts = new Parts(settings);
    this.room = CacheRoom.open(settings, parts.pageBytes());
    this.outbox = new EventOutbox(settings.kafka().outboxEvents());
    this.cache =
        new ChunkCache(
            room.memory(),
            room.packed(),
            PolicyName.parse(settings.cache().policy()).create(room.slots(), room.plainSlots()),
            outbox,
            new CacheRole(settings).options(),
            NANO_TIME);
    this.pinMonitor = new PinMonitor(cache.pins(), settings.pin().checkInterval());
    this.self =
        new LocalPeer(
            id,
            parts.pageBytes(),
            settings.model().chunkTokens(),
            life::epoch,
            life::fenced,
            parts.channels(room.arena().map(ArenaView::arena)));
    this.sockets = new ZmqSockets(parts.zmq());
    this.peerClient =
        new PeerClient(self, parts.peerClient(), sockets, codec, pullCounts, traces, NANO_TIME);
    this.peerServer =
        new PeerServer(
            self, parts.peerServer(), cache, peerClient, sockets, codec, serverCounts, NANO_TIME);
    this.mover = new ChunkMover(cache, peerClient, parts.moves(), moveCounts, NANO_TIME);
    this.directory =
        new ControllerDirectory(
            id, parts.directory(), sockets, codec, directoryCounts, traces, NANO_TIME);
    this.drainer = new Drainer(cache, mover, directory, peerServer, drainCounts, NANO_TIME);
    this.lookups =
        new LocalLookupCache(
            latencies.timed(directory),
            settings.directory().cacheChunks(),
            settings.directory().cacheAge(),
            directoryCounts,
            NANO_TIME);
    this.puller = new PrefixPuller(cache, peerClient, parts.pulls(), pullCounts, latencies::pulled);
    FleetPuller fleet = new FleetPuller(lookups, puller);
    this.prefetcher =
        new Prefetcher(
            cache, fleet, parts.pageBytes(), parts.prefetches(), prefetchCounts, traces, NANO_TIME);
    this.control = new ControlServer(commands(), sockets, codec, controlCounts, NANO_TIME);
    EngineSettings doorSettings = parts.engine(parts.handOver(room));
    this.engine =
        new NativeDoor(
            self,
            doorSettings,
            cache,
            fleet,
            prefetcher,
            sockets,
            codec,
            engineCounts,
            traces,
            NANO_TIME);
    this.tcpDoors =
        new TcpDoors(settings, doorSettings, new EngineApi(cache, fleet), cache, traces, NANO_TIME);
  }

  private CommandDesk commands() {
    return new CommandDesk(
        self,
        PublisherSettings.LOCAL_CPU,
        cache,
        mover,
        prefetcher,
        drainer,
        new PeerReachability(peerClient, ReachWorkerMsg.MOST_PEERS, NANO_TIME),
        peerServer::initAddress,
        parts.tokenKeys().orElse(null),
        certificates,
        controlCounts);
  }

  /** Opens all doors, and tells the log as soon as it is there; doesn't wait for it. */
  public void start() {
    started.push(new Step(MEMORY, room::close));
    started.push(new Step(SOCKETS, this::closeSockets));
    try {
      openDoors();
    } catch (IOException e) {
      close();
      throw new StartException("The agent can't open a door: " + e.getMessage(), e);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
    LOG.info("Agent {} serves at {}", id, doors);
  }

  private void openDoors() throws IOException {
    started.push(new Step("log", this::closeLog));
    peerServer.start();
    started.push(new Step("peer server", peerServer::close));
    control.start(Parts.bind(settings.control().bind()), parts.control());
    started.push(new Step("control door", control::close));
    publish();
    peerClient.start(peerServer.initAddress());
    started.push(new Step("peer client", peerClient::close));
    started.push(new Step("moves", mover::close));
    directory.start();
    started.push(new Step("directory", directory::close));
    started.push(new Step("drain", drainer::close));
    beat();
    started.push(new Step("prefetches", prefetcher::close));
    engine.start();
    started.push(new Step("engine door", engine::close));
    started.push(new Step("TCP doors", tcpDoors::close));
    tcpDoors.start(this::opened);
    started.push(new Step("claims", cache::close));
    pinMonitor.start();
    started.push(new Step("pin monitor", pinMonitor::close));
    doors.put("engine", hostPort(settings.engine().bind(), engine.port()));
    doors.put("control", AdvertisedAddresses.hostPort(controlHost(), control.port()));
    doors.put("peer_init", peerServer.initAddress());
    doors.put("peer_lookup", peerServer.lookupAddress());
  }

  private void opened(String door, String bind, int port) {
    doors.put(door, hostPort(bind, port));
  }

  private void publish() {
    KafkaEventPublisher log =
        new KafkaEventPublisher(
            parts.log(),
            parts.publisher(id),
            parts
                .announcement(control.port(), peerServer.initAddress(), self.channels())
                .ofVersion(version)
                .in(settings.topology().announced()),
            drainer::state,
            outbox,
            cache);
    log.start();
    publisher = log;
    life.toldBy(log);
  }

  private void closeLog() {
    KafkaEventPublisher log = publisher;
    if (log != null) {
      log.close(LOG_CLOSE);
    }
  }

  private void beat() {
    HeartbeatSender heartbeats =
        new HeartbeatSender(
            directory,
            this::heartbeat,
            life,
            settings.liveness().heartbeatInterval(),
            directoryCounts);
    heartbeats.start();
    started.push(new Step("heartbeats", heartbeats::close));
  }

  private HeartbeatMsg heartbeat() {
    long epoch = life.epoch();
    return new HeartbeatMsg(
        id.instanceId(),
        id.rank(),
        controlHost(),
        control.port(),
        peerServer.initAddress(),
        epoch < 0 ? null : epoch);
  }

  private String controlHost() {
    return AdvertisedAddresses.controlHost(settings);
  }

  /** The agent, to be looked at. */
  public AgentParts parts() {
    return new AgentParts(
        self,
        room.arena(),
        cache,
        sockets,
        peerServer,
        peerClient,
        puller,
        mover,
        drainer,
        prefetcher,
        directory,
        lookups,
        control,
        engine,
        tcpDoors.doors(),
        serverCounts,
        pullCounts,
        moveCounts,
        drainCounts,
        prefetchCounts,
        directoryCounts,
        controlCounts,
        engineCounts,
        () -> Map.copyOf(doors),
        () -> Optional.ofNullable(publisher).map(KafkaEventPublisher::stats));
  }

  private static String hostPort(String bind, int port) {
    String host = Endpoint.parse(bind).map(Endpoint::host).orElse("");
    return AdvertisedAddresses.hostPort(Endpoint.isWildcard(host) ? "127.0.0.1" : host, port);
  }

  private void closeSockets() {
    if (!sockets.close(SOCKETS_CLOSE)) {
      throw new IllegalStateException("a socket is still in use");
    }
  }

  /**
   * The last thing before {@link #close}: hands hot chunks over to others, for as long as the
   * settings say, while all doors are open.
   */
  void drain() {
    Duration atMost = settings.drain().atShutdown();
    if (!atMost.isZero() && self.offers()) {
      LOG.info("Agent {} hands its chunks over, for {} at most", id, atMost);
      var _ = drainer.drain("shutdown", atMost);
    }
  }

  /** Stops in order; a step that fails doesn't keep the others from being done. Idempotent. */
  @Override
  public void close() {
    LOG.info("Agent {} is closing", id);
    boolean socketsClosed = true;
    while (!started.isEmpty()) {
      Step step = started.pop();
      if (step.name().equals(MEMORY) && !socketsClosed) {
        LOG.warn("The memory stays mapped: a socket may still read it");
        room.removeFile();
        continue;
      }
      try {
        step.close().run();
      } catch (RuntimeException e) {
        LOG.warn("Closing the {} failed", step.name(), e);
        socketsClosed &= !step.name().equals(SOCKETS);
      }
    }
  }
}
