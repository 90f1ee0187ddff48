package io.kvmesh.controller.config;

import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The controller's settings, prefix {@code kvmesh}. Obtained from {@link SettingsLoader}, which has
 * checked every rule; the records themselves only hold values.
 *
 * @param cluster prefix of topic, groups and Redis keys, so that fleets can share one Kafka and one
 *     Redis
 * @param parentPid process whose end ends this one; 0 = none
 * @param advertisedHost name under which workers reach this controller, told to LMCache workers
 *     with the port for heartbeats; empty = the address that kvmesh.zmq.heartbeat-bind names, or
 *     this machine's own
 * @param advertiseLoopback lets a loopback address be advertised; for one machine only
 */
@ConfigurationProperties("kvmesh")
public record ControllerSettings(
    @DefaultValue("kvmesh") String cluster,
    @DefaultValue("0") long parentPid,
    @DefaultValue("") String advertisedHost,
    @DefaultValue("false") boolean advertiseLoopback,
    @DefaultValue Kafka kafka,
    @DefaultValue Redis redis,
    @DefaultValue Index index,
    @DefaultValue Zmq zmq,
    @DefaultValue Liveness liveness,
    @DefaultValue Command command,
    @DefaultValue Front front,
    @DefaultValue Web web,
    @DefaultValue Access access,
    @DefaultValue Hash hash,
    @DefaultValue Score score,
    @DefaultValue Vllm vllm,
    @DefaultValue Security security) {

  /**
   * The log.
   *
   * @param bootstrapServers where Kafka is, host:port, separated by commas
   * @param propertiesFile file with the security.protocol, sasl.* and ssl.* of a Kafka client, as
   *     Kafka's own tools take it; the stores that it names are read again when they change; empty
   *     = Kafka asks for neither TLS nor a password
   * @param partitions number of partitions of the log's topic, where this program creates it
   * @param replicationFactor copies of each partition of the log's topic, where this program
   *     creates it; -1 = the broker's default
   */
  public record Kafka(
      @DefaultValue("127.0.0.1:9092") String bootstrapServers,
      @DefaultValue("") String propertiesFile,
      @DefaultValue("8") int partitions,
      @DefaultValue("-1") int replicationFactor) {}

  /**
   * The durable view.
   *
   * @param uri redis://, rediss:// or unix address; of a cluster some nodes' addresses, separated
   *     by commas; empty = no durable view
   * @param cluster whether kvmesh.redis.uri names nodes of a Redis Cluster
   * @param username user name for Redis; empty = that in kvmesh.redis.uri, or none
   * @param password password for Redis; empty = that in kvmesh.redis.uri, or none
   * @param caFile certificates in PEM by which rediss:// servers are known; empty = the JVM's own
   * @param timeout of one command to Redis, after which the connection is made anew
   * @param topologyRefresh how often a Redis Cluster is asked for its topology, besides whenever a
   *     node says that it has changed or a connection is lost
   */
  public record Redis(
      @DefaultValue("") String uri,
      @DefaultValue("false") boolean cluster,
      @DefaultValue("") String username,
      @DefaultValue("") String password,
      @DefaultValue("") String caFile,
      @DefaultValue("5s") Duration timeout,
      @DefaultValue("30s") Duration topologyRefresh) {

    /** Without the password. */
    @Override
    public String toString() {
      return "Redis[cluster=%s, username=%s]".formatted(cluster, username);
    }
  }

  /**
   * The view that answers lookups.
   *
   * @param maxPlacements the view in memory holds at most this many chunks, each counted once for
   *     each worker that has it; further ones are not admitted, and counted. 0 = no limit
   * @param serveFrom which view answers lookups: memory, or redis for an index that is larger than
   *     one controller's memory; then the view in memory keeps workers only
   */
  public record Index(
      @DefaultValue("0") long maxPlacements, @DefaultValue("memory") ServeFrom serveFrom) {}

  /** The view that answers lookups. */
  public enum ServeFrom {
    /** The one that each controller has of its own. */
    MEMORY,
    /** The durable one. */
    REDIS
  }

  /**
   * The sockets that workers use.
   *
   * @param pullBind door for one-way messages, tcp://host:port; port 0 = any free one; empty = none
   * @param replyBind door for requests, heartbeats among them, tcp://host:port; port 0 = any free
   *     one; empty = none
   * @param heartbeatBind door for heartbeats alone, tcp://host:port; port 0 = any free one; empty =
   *     none
   * @param handshakeInterval a connection whose ZMTP handshake takes longer is made anew; with a
   *     key-file at least 500ms
   * @param maxMessageSize a longer frame closes the connection it came on
   * @param maxConnections to one door at once; beyond, one that has shown nothing gives way, or
   *     else the new one is cut off. Each takes about 30 KiB
   */
  public record Zmq(
      @DefaultValue("tcp://0.0.0.0:8300") String pullBind,
      @DefaultValue("tcp://0.0.0.0:8400") String replyBind,
      @DefaultValue("tcp://0.0.0.0:8082") String heartbeatBind,
      @DefaultValue("200ms") Duration handshakeInterval,
      @DefaultValue("16MB") DataSize maxMessageSize,
      @DefaultValue("4096") int maxConnections) {}

  /**
   * When a worker counts as gone; measured between log timestamps.
   *
   * @param heartbeatInterval between two Tick records; that of the agents should be the same
   * @param silentAfter without a heartbeat for so long a worker is hidden from lookups
   * @param expireAfter without a heartbeat for so long a worker is dropped
   */
  public record Liveness(
      @DefaultValue("5s") Duration heartbeatInterval,
      @DefaultValue("15s") Duration silentAfter,
      @DefaultValue("60s") Duration expireAfter) {}

  /**
   * Commands to workers.
   *
   * @param timeout for a worker's reply to clear, pin, unpin, health, reach or undrain; for so long
   *     one may also wait for its turn at a worker
   * @param moveTimeout for a worker's reply to move, drain, prefetch, compress or decompress; for
   *     so long one may also wait for its turn at a worker
   * @param maxRunning commands under way at a time; more are refused
   * @param maxKept commands that are over and can still be asked for
   * @param keepFor for so long a command that is over can be asked for
   */
  public record Command(
      @DefaultValue("10s") Duration timeout,
      @DefaultValue("2m") Duration moveTimeout,
      @DefaultValue("256") int maxRunning,
      @DefaultValue("1000") int maxKept,
      @DefaultValue("1h") Duration keepFor) {}

  /**
   * Limits of the sockets that LMCache workers use.
   *
   * @param holdFor a message of a worker that the view does not know yet waits at most this long
   * @param maxHeld messages of workers that the view does not know yet, waiting in all; more are
   *     dropped and counted
   * @param maxInFlight requests that wait for the log or a barrier; more are refused
   * @param maxSyncs full syncs of LMCache workers under way at a time; others are asked for later
   * @param syncTimeout a full sync of which nothing was heard for so long is given up, and asked
   *     for again
   * @param claimWait a worker that claims the identity or the address of another waits so long for
   *     a sign of life of that one; at most 10s, since LMCache workers wait 30s in all
   */
  public record Front(
      @DefaultValue("5s") Duration holdFor,
      @DefaultValue("10000") int maxHeld,
      @DefaultValue("4096") int maxInFlight,
      @DefaultValue("256") int maxSyncs,
      @DefaultValue("300s") Duration syncTimeout,
      @DefaultValue("10s") Duration claimWait) {}

  /**
   * Limits of the REST interface.
   *
   * @param maxBody a longer body of a REST request is refused
   * @param maxHashes hashes in one REST request
   * @param maxTokens tokens in one REST request
   * @param maxWait the longest barrier, over REST and over the reply socket
   */
  public record Web(
      @DefaultValue("4MB") DataSize maxBody,
      @DefaultValue("65536") int maxHashes,
      @DefaultValue("262144") int maxTokens,
      @DefaultValue("60s") Duration maxWait) {}

  /** How those who ask over REST are known. */
  public enum AccessMode {
    /** They aren't: whoever reaches REST may do everything. */
    OFF,
    /** By tokens in a file. */
    TOKENS,
    /** By tokens that an issuer has signed. */
    JWT
  }

  /**
   * Who may do what over REST.
   *
   * @param mode how those who ask over REST are known: off = not at all, tokens = by those of a
   *     file, jwt = by those that an issuer has signed
   * @param tokensFile with kvmesh.access.mode=tokens: file with a line for each token: its role
   *     (read, operate or admin) and the token
   */
  public record Access(
      @DefaultValue("off") AccessMode mode,
      @DefaultValue("") String tokensFile,
      @DefaultValue Jwt jwt) {}

  /**
   * Tokens that an issuer has signed (OpenID Connect).
   *
   * @param issuer with kvmesh.access.mode=jwt: issuer that a token must name
   * @param keysUri with kvmesh.access.mode=jwt: where the issuer's keys are, http:// or https://;
   *     asked when a key isn't known
   * @param audience with kvmesh.access.mode=jwt: audience that a token must name, among others
   * @param rolesClaim with kvmesh.access.mode=jwt: claim with the roles: read, operate, admin; of
   *     one within another, both names with a dot between
   */
  public record Jwt(
      @DefaultValue("") String issuer,
      @DefaultValue("") String keysUri,
      @DefaultValue("kvmesh") String audience,
      @DefaultValue("roles") String rolesClaim) {}

  /**
   * How the engines hash tokens: requests may name chunks by the tokens of a prompt.
   *
   * @param algorithm how the engines hash tokens, as in their own setting, with variants
   * @param seed seed of kvmesh.hash.algorithm: PYTHONHASHSEED of the engines; empty = none
   * @param chunkTokens tokens of a full chunk
   */
  public record Hash(
      @DefaultValue("builtin") String algorithm,
      @DefaultValue("0") String seed,
      @DefaultValue("256") int chunkTokens) {}

  /**
   * Scores for routers.
   *
   * @param weights of a chunk in a score, by where it is: location=weight separated by commas; * =
   *     all other locations
   */
  public record Score(@DefaultValue("GPU=1.25,LocalCPUBackend=1,*=0.5") String weights) {}

  /**
   * Engines that are listened to. Every controller has the same list; each engine is followed by
   * one of them.
   *
   * @param engines whose KV events are followed; the settings of each have a table of their own
   * @param replayTimeout what a vLLM engine is asked to tell again is waited for so long
   * @param maxQueue events of one vLLM engine that may wait for the log; more are asked for again
   *     later
   */
  public record Vllm(
      @DefaultValue List<Engine> engines,
      @DefaultValue("10s") Duration replayTimeout,
      @DefaultValue("32MB") DataSize maxQueue) {

    /** Copies the list. */
    public Vllm {
      engines = List.copyOf(engines);
    }
  }

  /**
   * One data-parallel rank of a vLLM instance.
   *
   * @param instanceId name of the instance; no agent's and no LMCache worker's
   * @param rank data-parallel rank
   * @param endpoint where it publishes its events, tcp://host:port
   * @param replayEndpoint where it gives past events again, tcp://host:port; empty = nowhere
   * @param topic its events' topic begins so; empty = any
   * @param model that it serves
   * @param blockSize tokens of a block, its --block-size
   * @param hashAlgorithm its --prefix-caching-hash-algo, if prompts are to be asked for by tokens
   * @param hashSeed its PYTHONHASHSEED, for the same
   */
  public record Engine(
      @DefaultValue("") String instanceId,
      @DefaultValue("0") int rank,
      @DefaultValue("") String endpoint,
      @DefaultValue("") String replayEndpoint,
      @DefaultValue("") String topic,
      @DefaultValue("") String model,
      @DefaultValue("16") int blockSize,
      @DefaultValue("") String hashAlgorithm,
      @DefaultValue("") String hashSeed) {}

  /**
   * Who may connect.
   *
   * @param keyFile file with the fleet's key, 32 bytes as base64; who hasn't that key gets nothing
   *     from the sockets for workers, and what is said there is encrypted. Empty = none of this
   */
  public record Security(@DefaultValue("") String keyFile) {}
}
