package io.kvmesh.agent.config;

import io.kvmesh.agent.cache.ChunkMemory;
import io.kvmesh.agent.control.TokenKeys;
import io.kvmesh.agent.directory.DirectorySettings;
import io.kvmesh.agent.engine.EngineSettings;
import io.kvmesh.agent.engine.HandOverSettings;
import io.kvmesh.agent.event.KafkaLogSettings;
import io.kvmesh.agent.event.PublisherSettings;
import io.kvmesh.agent.fleet.PrefetchLimits;
import io.kvmesh.agent.memory.ArenaIdentity;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.agent.transfer.Channels;
import io.kvmesh.agent.transfer.MoveLimits;
import io.kvmesh.agent.transfer.PeerClientSettings;
import io.kvmesh.agent.transfer.PeerServerSettings;
import io.kvmesh.agent.transfer.PullLimits;
import io.kvmesh.agent.transfer.PutLimits;
import io.kvmesh.common.hash.ChunkHashing;
import io.kvmesh.common.hash.TokenChunker;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.WorkerKind;
import io.kvmesh.common.zmq.CurveKeys;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSettings;
import io.kvmesh.program.kafka.ClientProperties;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What the settings mean for each part of the agent. Immutable. */
final class Parts {

  /** Behind the name of the memory's file: the Unix socket. */
  static final String SOCKET_SUFFIX = ".engine";

  private static final int IO_THREADS = 1;
  private static final int MEBIBYTE = 1 << 20;

  /** Requests and replies without bodies. */
  private static final long SMALL_FRAME_BYTES = 16L * MEBIBYTE;

  private static final int SMALL_FRAMES = 16;
  private static final int DOOR_QUEUE = 256;

  /** Messages with bodies that wait for one engine, or from it. */
  private static final int ENGINE_QUEUE = 64;

  /** A chunk counts once for each lease that holds it. */
  private static final int LEASED_CAPACITIES = 8;

  /** As long as a sealed frame is on its way it lies on the heap. */
  private static final int SEALED_SHARE_OF_HEAP = 4;

  private static final int MAX_REQUESTS_PER_PEER = 1024;
  private static final Duration CURVE_CONNECT = Duration.ofSeconds(1);

  private final AgentSettings settings;
  private final Optional<CurveKeys> keys;
  private final ClientProperties access;

  /**
   * @throws StartException if the file of the fleet's key, or that of Kafka's clients, can't be
   *     read any more
   */
  Parts(AgentSettings settings) {
    this.settings = settings;
    this.keys = keys(settings.security().keyFile());
    this.access = access(settings.kafka().propertiesFile());
  }

  private static Optional<CurveKeys> keys(String file) {
    try {
      return file.isEmpty() ? Optional.empty() : Optional.of(CurveKeys.read(Path.of(file)));
    } catch (IOException e) {
      throw new StartException("kvmesh.security.key-file can't be read: " + e, e);
    }
  }

  private static ClientProperties access(String file) {
    try {
      return ClientProperties.read(file);
    } catch (IOException e) {
      throw new StartException("kvmesh.kafka.properties-file can't be read: " + e, e);
    }
  }

  int pageBytes() {
    return Math.toIntExact(new ModelShape(settings.model()).pageBytes().toBytes());
  }

  ZmqSettings zmq() {
    return new ZmqSettings(IO_THREADS, settings.peer().maxInFlight().toBytes(), small());
  }

  private SocketSettings small() {
    SocketSettings defaults = SocketSettings.DEFAULT;
    return defaults
        .withHandshakeInterval(settings.zmq().handshakeInterval())
        .withHeartbeat(settings.zmq().heartbeatInterval(), settings.zmq().heartbeatTimeout())
        .withMessages(DOOR_QUEUE, SMALL_FRAME_BYTES, SMALL_FRAMES)
        .withMaxConnections(settings.zmq().maxConnections())
        .withKeys(keys);
  }

  SocketSettings control() {
    return small();
  }

  PeerServerSettings peerServer() {
    AgentSettings.Peer peer = settings.peer();
    return new PeerServerSettings(
        small(),
        bind(peer.initBind()),
        bind(peer.lookupBind()),
        AdvertisedAddresses.peerHost(settings),
        peer.maxLoanedPerPeer().toBytes(),
        peer.maxLoaned().toBytes(),
        Runtime.getRuntime().maxMemory() / SEALED_SHARE_OF_HEAP,
        peer.maxOverduePerPeer(),
        peer.loanDeadline(),
        peer.maxPeers(),
        puts());
  }

  private PutLimits puts() {
    AgentSettings.Move move = settings.move();
    return new PutLimits(
        move.maxPuts(),
        move.putDeadline(),
        pulls(),
        move.hold(),
        move.maxHeldPercent(),
        settings.drain().maxDisplacedPercent());
  }

  MoveLimits moves() {
    AgentSettings.Move move = settings.move();
    return new MoveLimits(move.deadline(), move.putDeadline(), pulls());
  }

  /**
   * One request to a peer is under way while another is taken in. An engine that waits for a chunk
   * of such a batch has half of its time left when the batch is given up.
   */
  PrefetchLimits prefetches() {
    AgentSettings.Prefetch prefetch = settings.prefetch();
    return new PrefetchLimits(
        prefetch.maxRunning(),
        prefetch.deadline(),
        2 * settings.peer().getBytes().toBytes(),
        settings.engine().deadline().dividedBy(2),
        prefetch.maxHeldPercent());
  }

  PeerClientSettings peerClient() {
    AgentSettings.Peer peer = settings.peer();
    long chunksAtOnce = Math.max(1, peer.getBytes().toBytes() / pageBytes());
    // A sealed frame holds a little less.
    long framesOfChunk = 1L + Math.ceilDiv(pageBytes(), MEBIBYTE);
    int frames = Math.toIntExact(SMALL_FRAMES + chunksAtOnce * framesOfChunk);
    return new PeerClientSettings(
        small().withMessages(DOOR_QUEUE, SMALL_FRAME_BYTES, frames),
        connectTimeout(peer),
        peer.passOverMost(),
        peer.idleTimeout(),
        peer.maxPeers(),
        MAX_REQUESTS_PER_PEER,
        peer.maxInFlightPerPeer().toBytes(),
        peer.maxInFlight().toBytes(),
        peer.copyThreads());
  }

  /** So that one handshake of CURVE may be cut off and made anew. */
  private Duration connectTimeout(AgentSettings.Peer peer) {
    boolean raised = keys.isPresent() && peer.connectTimeout().compareTo(CURVE_CONNECT) < 0;
    return raised ? CURVE_CONNECT : peer.connectTimeout();
  }

  /**
   * How bytes may come and go.
   *
   * @param arena in which the chunks lie; empty where there is none
   */
  Channels channels(Optional<PageArena> arena) {
    return new Channels(settings.peer().channels(), arena);
  }

  PullLimits pulls() {
    AgentSettings.Peer peer = settings.peer();
    return new PullLimits(peer.getBytes().toBytes(), peer.maxAttempts(), peer.maxHolders());
  }

  DirectorySettings directory() {
    AgentSettings.Directory directory = settings.directory();
    return new DirectorySettings(
        settings.controllers().stream().map(it -> it.replaceFirst("^tcp://", "")).toList(),
        small(),
        directory.attemptTimeout(),
        directory.passOverMost(),
        directory.maxInFlight());
  }

  /**
   * The native door.
   *
   * @param handOver memory for engines on this host; empty = they get none
   */
  EngineSettings engine(Optional<HandOverSettings> handOver) {
    AgentSettings.Engine engine = settings.engine();
    // A body may be too large for a page and still get its own answer.
    long frameBytes = Math.max(SMALL_FRAME_BYTES, 2L * pageBytes());
    long leasedBytes = engine.maxLeasedBytes().toBytes();
    return new EngineSettings(
        small()
            .withoutKeys()
            .withMessages(ENGINE_QUEUE, frameBytes, SMALL_FRAMES + engine.maxKeys()),
        bind(engine.bind()),
        engine.deadline(),
        engine.sessionIdle(),
        engine.leaseLifetime(),
        engine.maxSessions(),
        engine.maxLeases(),
        leasedBytes == 0
            ? LEASED_CAPACITIES * new CacheRole(settings).capacityBytes()
            : leasedBytes,
        engine.maxRequests(),
        engine.maxKeys(),
        engine.storeWait(),
        handOver);
  }

  /** What engines on this host may map of this memory, if they may. */
  Optional<HandOverSettings> handOver(CacheRoom room) {
    return settings.engine().handOver()
        ? room.arena().flatMap(it -> handOver(it.arena(), room.memory()))
        : Optional.empty();
  }

  private Optional<HandOverSettings> handOver(PageArena arena, ChunkMemory memory) {
    return arena
        .file()
        .map(
            file -> {
              ArenaIdentity identity = arena.identity().orElseThrow();
              return new HandOverSettings(
                  socket(file),
                  file.toAbsolutePath(),
                  identity.id().toString(),
                  identity.arenaBytes(),
                  identity.generationsOffset(),
                  handedChunks(memory));
            });
  }

  /** The Unix socket for engines that map this file. */
  static Path socket(Path file) {
    return Path.of(file.toAbsolutePath() + SOCKET_SUFFIX);
  }

  private int handedChunks(ChunkMemory memory) {
    long percent = settings.engine().maxHandedPercent();
    return (int) Math.max(1, memory.slots() * percent / 100);
  }

  KafkaLogSettings log() {
    AgentSettings.Kafka kafka = settings.kafka();
    return new KafkaLogSettings(
        access.with(kafka.bootstrapServers()), settings.cluster(), kafka.partitions());
  }

  PublisherSettings publisher(WorkerId worker) {
    return PublisherSettings.of(
        worker, settings.liveness().heartbeatInterval(), settings.kafka().snapshotInterval());
  }

  /** Keys of tokens' chunks; none where the keys' world size isn't known. */
  Optional<TokenKeys> tokenKeys() {
    AgentSettings.Model model = settings.model();
    if (model.worldSize() == 0) {
      return Optional.empty();
    }
    int rank = model.saveOnlyFirstRank() ? 0 : settings.rank();
    return Optional.of(
        new TokenKeys(
            Keyspace.of(model.name(), model.worldSize(), rank, model.dtype(), List.of()),
            new TokenChunker(
                ChunkHashing.of(model.hashAlgorithm(), model.hashSeed()), model.chunkTokens()),
            settings.cache().saveUnfullChunk()));
  }

  /** What this agent tells of itself. */
  Announcement announcement(int controlPort, String peerInitAddress, Channels channels) {
    AgentSettings.Model model = settings.model();
    return new Announcement(
        WorkerKind.AGENT,
        AdvertisedAddresses.controlHost(settings),
        controlPort,
        peerInitAddress,
        model.name(),
        model.dtype(),
        model.chunkTokens(),
        (long) pageBytes(),
        new ModelShape(model).format().name(),
        model.hashAlgorithm(),
        model.hashSeed(),
        channels.served());
  }

  static String bind(String address) {
    return address.startsWith("tcp://") ? address : "tcp://" + address;
  }
}
