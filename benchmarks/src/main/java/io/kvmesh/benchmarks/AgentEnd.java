package io.kvmesh.benchmarks;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.PendingChunk;
import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.agent.memory.ArenaOptions;
import io.kvmesh.agent.memory.Demand;
import io.kvmesh.agent.memory.MemoryFeature;
import io.kvmesh.agent.memory.PageAllocator;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.agent.transfer.Channels;
import io.kvmesh.agent.transfer.LocalPeer;
import io.kvmesh.agent.transfer.PeerClient;
import io.kvmesh.agent.transfer.PeerClientSettings;
import io.kvmesh.agent.transfer.PeerServer;
import io.kvmesh.agent.transfer.PeerServerSettings;
import io.kvmesh.agent.transfer.PrefixPuller;
import io.kvmesh.agent.transfer.PullCount;
import io.kvmesh.agent.transfer.PullLimits;
import io.kvmesh.agent.transfer.PutLimits;
import io.kvmesh.agent.transfer.ServerCount;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.trace.Traces;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.zmq.CurveKeys;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSettings;
import io.kvmesh.common.zmq.ZmqSockets;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The parts of an agent that a pull goes through, with an agent's default settings: memory, cache,
 * peer server and peer client. No log, no controller, no engine.
 */
public final class AgentEnd implements AutoCloseable {

  private static final long MIB = 1L << 20;
  private static final int CHUNK_TOKENS = 256;
  private static final long EPOCH = 1;

  private final PageArena memory;
  private final LocalPeer self;
  private final ZmqSockets sockets;
  private final ChunkCache cache;
  private final PeerServer server;
  private final PeerClient client;
  private final PrefixPuller puller;

  /**
   * What differs between the ways in which two of them deal with each other.
   *
   * @param directory in shared memory, where their files are; empty = they have none
   * @param keys that they show each other, and under which they seal; empty = none
   * @param host under which others reach them
   */
  public record Way(Optional<Path> directory, Optional<CurveKeys> keys, String host) {

    public static final Way ZMQ = new Way(Optional.empty(), Optional.empty(), "127.0.0.1");

    static Way shm(Path directory) {
      return new Way(Optional.of(directory), Optional.empty(), ZMQ.host);
    }

    static Way sealed() {
      return new Way(Optional.empty(), Optional.of(CurveKeys.of(new byte[32])), ZMQ.host);
    }

    Way at(String other) {
      return new Way(directory, keys, other);
    }

    private SocketSettings sockets() {
      return SocketSettings.DEFAULT.withKeys(keys);
    }
  }

  /**
   * Opens all of them.
   *
   * @param name of the agent's instance
   */
  public AgentEnd(String name, int pages, int pageBytes, Way way) throws IOException {
    memory =
        PageArena.open(
            new ArenaOptions(
                (long) pages * pageBytes,
                way.directory().map(it -> it.resolve(name)),
                Map.of(MemoryFeature.HUGE_PAGES, Demand.WANTED),
                OptionalInt.empty()));
    memory.bytes().fill((byte) 1);
    PageAllocator allocator = new PageAllocator(memory, pageBytes);
    cache = new ChunkCache(allocator, PolicyName.parse("lru").create(pages), new NumberedEvents());
    sockets = new ZmqSockets(new ZmqSettings(1, 256 * MIB, way.sockets()));
    self =
        new LocalPeer(
            new WorkerId(name, 0),
            pageBytes,
            CHUNK_TOKENS,
            () -> EPOCH,
            () -> false,
            new Channels(Channels.ALL, Optional.of(memory)));
    MessageCodec codec = new MessageCodec();
    Counters<PullCount> counts = new Counters<>(PullCount.class);
    client =
        new PeerClient(
            self,
            clientSettings(way.sockets()),
            sockets,
            codec,
            counts,
            Traces.off(),
            System::nanoTime);
    server =
        new PeerServer(
            self,
            serverSettings(way),
            cache,
            client,
            sockets,
            codec,
            new Counters<>(ServerCount.class),
            System::nanoTime);
    puller =
        new PrefixPuller(
            cache, client, new PullLimits(8 * MIB, 3, 4), counts, (outcome, nanos) -> {});
    server.start();
    client.start(server.initAddress());
  }

  private static PeerServerSettings serverSettings(Way way) {
    return new PeerServerSettings(
        way.sockets(),
        "tcp://127.0.0.1:0",
        "tcp://127.0.0.1:0",
        way.host(),
        256 * MIB,
        1024 * MIB,
        1024 * MIB,
        8,
        Duration.ofSeconds(10),
        1024,
        new PutLimits(
            16,
            Duration.ofSeconds(10),
            new PullLimits(8 * MIB, 3, 1),
            Duration.ofSeconds(10),
            80,
            10));
  }

  private static PeerClientSettings clientSettings(SocketSettings sockets) {
    return new PeerClientSettings(
        sockets,
        Duration.ofSeconds(5),
        Duration.ofSeconds(10),
        Duration.ofMinutes(5),
        1024,
        1024,
        128 * MIB,
        256 * MIB,
        1);
  }

  String address() {
    return server.initAddress();
  }

  String lookupAddress() {
    return server.lookupAddress();
  }

  /** What a pull goes through. */
  public PrefixPuller puller() {
    return puller;
  }

  LocalPeer self() {
    return self;
  }

  PageArena memory() {
    return memory;
  }

  ZmqSockets sockets() {
    return sockets;
  }

  /** What it holds. */
  public ChunkCache cache() {
    return cache;
  }

  /** Stores a chunk whose bytes are all the same. */
  void store(ChunkKey key, int bytes, byte content) {
    try (ChunkLease lease = cache.newLease()) {
      PendingChunk chunk = (PendingChunk) cache.claim(key, bytes, CHUNK_TOKENS, lease);
      chunk.body().fill(content);
      cache.commit(chunk, lease);
    }
  }

  static Keyspace keyspace() {
    return Keyspace.of("benchmark", 1, 0, "bfloat16", List.of());
  }

  @Override
  public void close() {
    client.close();
    server.close();
    sockets.close();
    memory.close();
  }
}
