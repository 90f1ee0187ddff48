package io.kvmesh.agent.config;

import io.kvmesh.agent.engine.tcp.ExistsScope;
import io.kvmesh.agent.memory.Demand;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The agent's settings, prefix {@code kvmesh}. Obtained from {@link SettingsLoader}, which has
 * checked every rule; the records themselves only hold values.
 *
 * @param cluster prefix of the topic and of group names, so that fleets can share one Kafka
 * @param instanceId name of the serving instance; empty = the host's name
 * @param rank number of the GPU in its instance
 * @param parentPid process whose end ends this one; 0 = none
 * @param advertiseLoopback lets a loopback address be advertised; for one machine only
 * @param controllers reply sockets of all controllers, host:port; empty = peers are never asked
 */
@ConfigurationProperties("kvmesh")
public record AgentSettings(
    @DefaultValue("kvmesh") String cluster,
    @DefaultValue("") String instanceId,
    @DefaultValue("0") int rank,
    @DefaultValue("0") long parentPid,
    @DefaultValue("false") boolean advertiseLoopback,
    @DefaultValue List<String> controllers,
    @DefaultValue Model model,
    @DefaultValue Memory memory,
    @DefaultValue Cache cache,
    @DefaultValue Pin pin,
    @DefaultValue Kafka kafka,
    @DefaultValue Directory directory,
    @DefaultValue Peer peer,
    @DefaultValue Move move,
    @DefaultValue Prefetch prefetch,
    @NestedConfigurationProperty @DefaultValue Drain drain,
    @DefaultValue Control control,
    @DefaultValue Engine engine,
    @DefaultValue Lm lm,
    @NestedConfigurationProperty @DefaultValue Resp resp,
    @NestedConfigurationProperty @DefaultValue TopologySettings topology,
    @DefaultValue Liveness liveness,
    @DefaultValue Zmq zmq,
    @DefaultValue Security security,
    @NestedConfigurationProperty @DefaultValue Access access) {

  /**
   * What must match for this agent's bytes to be of use to a peer.
   *
   * @param name name of the model, as in the keys; must be set
   * @param dtype type of the cached values, as in the keys
   * @param worldSize ranks that the model is split over, as in the keys; 0 = unknown, and commands
   *     can't name chunks by their tokens
   * @param chunkTokens tokens of a full chunk
   * @param layers layers of the model on this rank; 0 = unknown
   * @param hiddenSize values of a token in one layer of this rank, for keys and values each: KV
   *     heads times head size, with MLA the size of the latent head; 0 = unknown
   * @param layerwise whether the engine stores and loads layer by layer
   * @param blending whether chunks are blended that are no prefix; only with layerwise
   * @param mla whether keys and values are one latent vector
   * @param saveOnlyFirstRank whether only rank 0 keeps chunks, which are the same on all ranks;
   *     only with mla
   * @param pageBytes bytes of a full chunk; follows from layers, hidden size, tokens and dtype
   *     where those are given, else must be set
   * @param memoryFormat order of the values in a chunk; empty = KV_2LTD, with layerwise KV_T2D,
   *     with blending KV_2TD, with MLA KV_MLA_FMT
   * @param hashAlgorithm how the engine hashes tokens, as in its own setting, with variants
   * @param hashSeed seed of kvmesh.model.hash-algorithm: PYTHONHASHSEED of the engine; empty = none
   */
  public record Model(
      @DefaultValue("") String name,
      @DefaultValue("bfloat16") String dtype,
      @DefaultValue("0") int worldSize,
      @DefaultValue("256") int chunkTokens,
      @DefaultValue("0") int layers,
      @DefaultValue("0") int hiddenSize,
      @DefaultValue("false") boolean layerwise,
      @DefaultValue("false") boolean blending,
      @DefaultValue("false") boolean mla,
      @DefaultValue("false") boolean saveOnlyFirstRank,
      @DefaultValue("0B") DataSize pageBytes,
      @DefaultValue("") String memoryFormat,
      @DefaultValue("builtin") String hashAlgorithm,
      @DefaultValue("0") String hashSeed) {}

  /**
   * The arena, in which the chunks' bytes are. What the system may refuse is off, wanted or
   * required: wanted and refused is a warning and a metric, required and refused ends the start.
   *
   * @param allocator paged = a page of one full chunk for each chunk; ranges = as much as each
   *     chunk needs, for several models on one agent
   * @param alignment with kvmesh.memory.allocator=ranges: each chunk begins at a multiple of so
   *     many bytes; a power of two
   * @param initialBytes so much of the cache's capacity is used at first, rounded down to whole
   *     pages; 0 = all, at once
   * @param growthBytes so much more memory is taken into use each time that nothing is free, until
   *     all of the cache's capacity is; 0 = as much as kvmesh.memory.initial-bytes
   * @param reserveBytes memory that is left to everything else, of what is available to this
   *     container or host; the cache's capacity is cut where that must be
   * @param file absolute path in a tmpfs or on hugetlbfs, for others on this host to map; empty =
   *     memory of this process alone
   * @param hugePages transparent huge pages: off, wanted or required
   * @param hugetlb huge pages that the administrator set aside: off, wanted or required
   * @param locked no page that is in use is swapped out: off, wanted or required
   * @param prefault all pages are backed at the start, none at its first use: off, wanted or
   *     required
   * @param numa binding to the NUMA node that numa-node or numa-by-gpu names: off, wanted or
   *     required
   * @param numaNode NUMA node of the chunks' memory; -1 = none
   * @param numaByGpu NUMA node of each GPU, as in 0:0,1:0,2:1,3:1; the chunks' memory is at that of
   *     this agent's rank
   */
  public record Memory(
      @DefaultValue("paged") Allocator allocator,
      @DefaultValue("4096") int alignment,
      @DefaultValue("0B") DataSize initialBytes,
      @DefaultValue("0B") DataSize growthBytes,
      @DefaultValue("512MB") DataSize reserveBytes,
      @DefaultValue("") String file,
      @DefaultValue("wanted") Demand hugePages,
      @DefaultValue("off") Demand hugetlb,
      @DefaultValue("off") Demand locked,
      @DefaultValue("off") Demand prefault,
      @DefaultValue("wanted") Demand numa,
      @DefaultValue("-1") int numaNode,
      @DefaultValue("") String numaByGpu) {}

  /**
   * The cache.
   *
   * @param capacityBytes memory for chunks; rounded down to whole pages, and cut to what is
   *     available
   * @param firstRankCapacityBytes memory for chunks at rank 0, where only that one keeps any; 0 =
   *     as much as kvmesh.cache.capacity-bytes
   * @param compressedBytes memory for chunks that are compressed on command, beside that for the
   *     others; 0 = none are
   * @param maxChunks with kvmesh.memory.allocator=ranges: how many chunks there may be at once,
   *     however small they are; 0 = four times as many as full ones fit
   * @param policy what is evicted first: lru, fifo, lfu, mru, s3fifo or adaptive
   * @param hot whether chunks are kept; otherwise memory is only for those on their way
   * @param saveUnfullChunk whether the last chunk of a prompt is kept, which has fewer tokens
   */
  public record Cache(
      @DefaultValue("1GB") DataSize capacityBytes,
      @DefaultValue("0B") DataSize firstRankCapacityBytes,
      @DefaultValue("0B") DataSize compressedBytes,
      @DefaultValue("0") int maxChunks,
      @DefaultValue("lru") String policy,
      @DefaultValue("true") boolean hot,
      @DefaultValue("false") boolean saveUnfullChunk) {}

  /**
   * Chunks that clients pin.
   *
   * @param lifetime after which a pin that was not renewed is taken off
   * @param checkInterval between two looks for pins that are older than kvmesh.pin.lifetime
   * @param maxPercent of the cache's chunks that may be pinned, one counting once for each owner
   */
  public record Pin(
      @DefaultValue("300s") Duration lifetime,
      @DefaultValue("30s") Duration checkInterval,
      @DefaultValue("50") int maxPercent) {}

  /**
   * The log.
   *
   * @param bootstrapServers where Kafka is, host:port, separated by commas
   * @param propertiesFile file with the security.protocol, sasl.* and ssl.* of a Kafka client, as
   *     Kafka's own tools take it; the stores that it names are read again when they change; empty
   *     = Kafka asks for neither TLS nor a password
   * @param partitions number of partitions of the log's topic, where this program creates it
   * @param outboxEvents events that wait for Kafka at most; more are dropped, and a snapshot
   *     follows
   * @param snapshotInterval least time between two snapshots; a view that lacks events waits for
   *     the next
   */
  public record Kafka(
      @DefaultValue("127.0.0.1:9092") String bootstrapServers,
      @DefaultValue("") String propertiesFile,
      @DefaultValue("8") int partitions,
      @DefaultValue("100000") int outboxEvents,
      @DefaultValue("1m") Duration snapshotInterval) {}

  /**
   * Questions to the controllers.
   *
   * @param attemptTimeout a controller that has not answered for so long is passed over for another
   * @param passOverMost a controller that failed is passed over for a growing time, at most this
   * @param maxInFlight questions that wait for an answer; more are refused
   * @param cacheChunks of how many chunks it is remembered who holds them; 0 = of none
   * @param cacheAge for how long a controller's answer is remembered; 0 = not at all
   */
  public record Directory(
      @DefaultValue("300ms") Duration attemptTimeout,
      @DefaultValue("5s") Duration passOverMost,
      @DefaultValue("1024") int maxInFlight,
      @DefaultValue("65536") int cacheChunks,
      @DefaultValue("2s") Duration cacheAge) {}

  /**
   * Pulling from peers and serving them.
   *
   * @param initBind door for handshakes, tcp://host:port; port 0 = any free one
   * @param lookupBind door for requests, tcp://host:port; port 0 = any free one
   * @param advertisedHost under which other agents and the controllers reach this one; empty = the
   *     host of the binds
   * @param channels how chunks may come and go, best first: shm = read out of the memory of an
   *     agent on the same host, where both have a kvmesh.memory.file in one directory; zmq = over
   *     the network
   * @param connectTimeout from a peer's first use to the end of the handshake, and how long one may
   *     be silent in all while it is waited for before it is passed over; with a key-file at least
   *     1s
   * @param getBytes so much one request of a pull asks for; a longer pull is several side by side
   * @param maxInFlight bytes asked of all peers and not yet arrived
   * @param maxInFlightPerPeer bytes asked of one peer and not yet arrived
   * @param copyThreads threads that help requests to copy chunks out of the memory of agents on the
   *     same host; 0 = each request copies alone
   * @param maxAttempts attempts at one peer in a row, within the deadline
   * @param maxHolders peers that one pull asks side by side; others that have the chunks are asked
   *     where those fail
   * @param passOverMost a peer that failed is passed over for a growing time, at most this
   * @param loanDeadline after which a lent page counts as overdue; it is not taken back
   * @param maxLoaned bytes on loan to all peers; of those that are sealed no more than a quarter of
   *     the heap
   * @param maxLoanedPerPeer bytes on loan to one peer; above, it is answered that we are overloaded
   * @param maxOverduePerPeer loans of one peer that may be overdue before it gets no more
   * @param maxPeers connections to peers that are kept, in each direction
   * @param idleTimeout after which a connection to a peer that nobody used is closed
   */
  public record Peer(
      @DefaultValue("tcp://0.0.0.0:8200") String initBind,
      @DefaultValue("tcp://0.0.0.0:8201") String lookupBind,
      @DefaultValue("") String advertisedHost,
      @DefaultValue({"shm", "zmq"}) List<String> channels,
      @DefaultValue("500ms") Duration connectTimeout,
      @DefaultValue("8MB") DataSize getBytes,
      @DefaultValue("64MB") DataSize maxInFlightPerPeer,
      @DefaultValue("256MB") DataSize maxInFlight,
      @DefaultValue("1") int copyThreads,
      @DefaultValue("3") int maxAttempts,
      @DefaultValue("4") int maxHolders,
      @DefaultValue("10s") Duration passOverMost,
      @DefaultValue("10s") Duration loanDeadline,
      @DefaultValue("256MB") DataSize maxLoanedPerPeer,
      @DefaultValue("1GB") DataSize maxLoaned,
      @DefaultValue("8") int maxOverduePerPeer,
      @DefaultValue("1024") int maxPeers,
      @DefaultValue("5m") Duration idleTimeout) {}

  /**
   * Chunks that are moved or copied from one agent to another.
   *
   * @param deadline of a whole move from here, or drain by command
   * @param putDeadline of each push of a move, and of any push to this agent
   * @param hold for so long after each push of a move to this agent all that the move brought is
   *     held here, unless its sender says before that it is over
   * @param maxHeldPercent of the cache's chunks that may be held for moves to this agent
   * @param maxPuts pushes to this agent that wait their turn; more are refused
   */
  public record Move(
      @DefaultValue("60s") Duration deadline,
      @DefaultValue("10s") Duration putDeadline,
      @DefaultValue("10s") Duration hold,
      @DefaultValue("80") int maxHeldPercent,
      @DefaultValue("16") int maxPuts) {}

  /**
   * Prefixes that are brought here before an engine asks for them.
   *
   * @param maxRunning prefetches at a time; more are refused
   * @param deadline of a prefetch, whatever its beginner allows
   * @param maxHeldPercent of the cache's chunks that prefetches may hold until they are over, in
   *     equal parts; a prefix that is longer ends there
   */
  public record Prefetch(
      @DefaultValue("2") int maxRunning,
      @DefaultValue("60s") Duration deadline,
      @DefaultValue("50") int maxHeldPercent) {}

  /**
   * Commands of the controllers.
   *
   * @param bind door for commands, tcp://host:port; port 0 = any free one
   * @param advertisedHost under which the controllers reach this agent; empty = as
   *     kvmesh.peer.advertised-host
   */
  public record Control(
      @DefaultValue("tcp://0.0.0.0:8202") String bind, @DefaultValue("") String advertisedHost) {}

  /**
   * The native door for the engine.
   *
   * @param bind door for the engine, tcp://host:port; port 0 = any free one
   * @param deadline of an engine's request that names none
   * @param sessionIdle after which an engine's session that nobody used is closed
   * @param leaseLifetime after which an engine's lease that was never read is released
   * @param maxSessions sessions of engines open at once; more are refused
   * @param maxLeases leases of one session; more are refused
   * @param maxLeasedBytes bytes that one session may hold in leases, a chunk counting once for each
   *     lease; 0 = eight times the cache's capacity
   * @param maxRequests requests of engines at work at once; more are refused
   * @param maxKeys keys in one request of an engine
   * @param storeWait a store whose chunks find no room waits for it, at most this; 0 = not at all.
   *     Half of kvmesh.engine.max-requests may wait
   * @param handOver whether engines of this agent's user on this host may read and write chunks in
   *     place, where there is a kvmesh.memory.file; beside it is then a Unix socket, with .engine
   *     at the end of its name
   * @param maxHandedPercent of the cache's chunks that one session may hold to read and write them
   *     in place, one counting once for each claim and lease
   */
  public record Engine(
      @DefaultValue("tcp://127.0.0.1:8210") String bind,
      @DefaultValue("2s") Duration deadline,
      @DefaultValue("5m") Duration sessionIdle,
      @DefaultValue("60s") Duration leaseLifetime,
      @DefaultValue("256") int maxSessions,
      @DefaultValue("1024") int maxLeases,
      @DefaultValue("0B") DataSize maxLeasedBytes,
      @DefaultValue("256") int maxRequests,
      @DefaultValue("8192") int maxKeys,
      @DefaultValue("0s") Duration storeWait,
      @DefaultValue("true") boolean handOver,
      @DefaultValue("50") int maxHandedPercent) {}

  /**
   * The door for LMCache's lm:// connector.
   *
   * @param enabled whether there is a door for LMCache's lm:// connector
   * @param bind door for LMCache's lm:// connector, tcp://host:port; port 0 = any free one
   * @param exists where a chunk may be that lm:// is told exists: local = in this agent, fleet =
   *     also at its peers
   * @param maxConnections connections of lm:// open at once; a further client takes the place of
   *     one that never asked for anything, or is sent away
   * @param maxBodyBytes who announces a longer body by lm:// is cut off; a shorter one that is
   *     larger than a chunk is read and forgotten
   * @param idleTimeout after which a connection of lm:// without a request is closed
   * @param stallTimeout after which a request or reply of lm:// that makes no progress ends its
   *     connection; so does one that falls so far behind 64 KiB a second
   */
  public record Lm(
      @DefaultValue("false") boolean enabled,
      @DefaultValue("tcp://127.0.0.1:65432") String bind,
      @DefaultValue("fleet") ExistsScope exists,
      @DefaultValue("1024") int maxConnections,
      @DefaultValue("512MB") DataSize maxBodyBytes,
      @DefaultValue("10m") Duration idleTimeout,
      @DefaultValue("30s") Duration stallTimeout) {}

  /**
   * How often this agent says that it is there.
   *
   * @param heartbeatInterval between two heartbeats on the log, and to a controller
   */
  public record Liveness(@DefaultValue("5s") Duration heartbeatInterval) {}

  /**
   * All ZeroMQ sockets.
   *
   * @param handshakeInterval a connection whose ZMTP handshake takes longer is made anew; with a
   *     key-file at least 500ms
   * @param heartbeatInterval between two pings on an idle connection
   * @param heartbeatTimeout without an answer to a ping the connection is closed
   * @param maxConnections to one door at once; beyond, one that has shown nothing gives way, or
   *     else the new one is cut off. Each takes about 30 KiB
   */
  public record Zmq(
      @DefaultValue("200ms") Duration handshakeInterval,
      @DefaultValue("5s") Duration heartbeatInterval,
      @DefaultValue("4s") Duration heartbeatTimeout,
      @DefaultValue("2048") int maxConnections) {}

  /**
   * Who may connect.
   *
   * @param keyFile file with the fleet's key, 32 bytes as base64; who hasn't that key gets nothing
   *     from this program, and what is said is encrypted. Empty = none of this
   */
  public record Security(@DefaultValue("") String keyFile) {}
}
